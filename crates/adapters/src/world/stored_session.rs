//! What the store of sessions holds: all of it is text to whoever keeps it.

use super::stored_tree::Checkpoint;

/// A session as it was behind its last whole turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSession {
    /// The dialogue behind that turn.
    pub checkpoint: Checkpoint,
    /// The path of the model.
    pub model: String,
    /// The name of the profile.
    pub profile: String,
    /// How it was to start when it was given its name.
    pub given: String,
    /// How the dialogue that is played now began; another one, where it began again.
    pub start: String,
    /// Moves are taken that no state declares.
    pub permissive: bool,
    /// The store of the user's data, as it was named.
    pub twin: Option<String>,
    /// What tells the files of the model from others.
    pub fingerprint: String,
    /// The whole turns.
    pub turns: u32,
}

/// A session as a list of them tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    pub name: String,
    /// The path of the model.
    pub model: String,
    /// The whole turns.
    pub turns: u32,
    /// The session behind the last of them.
    pub saved: String,
    /// The turn that goes on, as it was given, if one does.
    pub unfinished: Option<String>,
}

/// A turn that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTurn {
    /// The turn as it was given.
    pub line: String,
    /// The answers that are there, in the order in which they came.
    pub answers: Vec<StoredAnswer>,
}

/// An answer in a turn that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The kind of need.
    pub need: String,
    /// The kind of effect; empty for judgements.
    pub effect: String,
    /// The number among the needs of the kind in the turn.
    pub index: u32,
    pub answer: String,
    /// What is remembered since.
    pub memory: String,
}
