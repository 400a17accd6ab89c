//! The tree of a session's turns, as its store holds it.

/// A turn that was played, and the session behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredMoment {
    /// The number of the moment before; 0 for the beginning.
    pub before: u32,
    /// The line by which it was given.
    pub line: String,
    /// The turn as a line of a trace.
    pub record: String,
    /// What was said in it, as JSON.
    pub said: String,
    /// By what the dialogue was known to those who perform its effects.
    pub id: String,
    /// The session.
    pub saved: String,
    /// What is remembered besides.
    pub memory: String,
}

/// Where the tree of a session's turns begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRoot {
    /// Turns before, of which only the records are known.
    pub turns: u32,
    /// Utterances before.
    pub said: u32,
    /// By what the dialogue was known.
    pub id: String,
    /// The session.
    pub saved: String,
    /// What is remembered besides.
    pub memory: String,
}

/// Where a session is in the tree of its turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredPlace {
    pub branch: String,
    /// The number of the moment; 0 for the beginning.
    pub moment: u32,
    /// All branches, each with the number of its last moment.
    pub branches: Vec<(String, u32)>,
}

/// The tree of a session's turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredTree {
    /// Where it begins.
    pub root: StoredRoot,
    /// Where the session is in it.
    pub place: StoredPlace,
    /// The moments, numbered from 1.
    pub moments: Vec<StoredMoment>,
}

/// A line that somebody typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    pub session: String,
    pub line: String,
}
