//! Contents of the session store. All values are opaque strings.

use super::stored_tree::Checkpoint;

/// A session after its last complete turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSession {
    /// The dialogue after that turn.
    pub checkpoint: Checkpoint,
    /// The path of the model.
    pub model: String,
    /// The name of the profile.
    pub profile: String,
    /// The `start` with which the session was created.
    pub given: String,
    /// The `start` of the current dialogue. It differs after a restart.
    pub start: String,
    /// Whether moves that no state declares are accepted.
    pub permissive: bool,
    /// The digital twin, as the user specified it.
    pub twin: Option<String>,
    /// The fingerprint of the model files.
    pub fingerprint: String,
    /// The number of complete turns.
    pub turns: u32,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    pub name: String,
    /// The path of the model.
    pub model: String,
    /// The number of complete turns.
    pub turns: u32,
    /// The session after the last complete turn.
    pub saved: String,
    /// The line of the current turn, if any.
    pub unfinished: Option<String>,
}

/// An incomplete turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTurn {
    /// The line of the turn.
    pub line: String,
    /// The answers so far, in order of arrival.
    pub answers: Vec<StoredAnswer>,
}

/// An answer in an incomplete turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The kind of need.
    pub need: String,
    /// The kind of effect. Empty for judgments.
    pub effect: String,
    /// The index among the needs of this kind in the turn.
    pub index: u32,
    pub answer: String,
    /// The memory after this answer.
    pub memory: String,
}
