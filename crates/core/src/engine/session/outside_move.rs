//! A move that was made from outside, between turns.

/// A move from outside, `transition_to`: where it led, and who made it. State, phase and last action changed together, or
/// not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideMove {
    /// The state before it.
    pub from: Box<str>,
    /// The state that it names.
    pub to: Box<str>,
    /// The phase after it.
    pub phase: Option<Box<str>>,
    /// The action that caused it.
    pub action: Option<Box<str>>,
    /// Who made it, where that is said.
    pub source: Option<Box<str>>,
    /// It was made; else the machine lacks the state, and nothing has changed.
    pub is_made: bool,
}

impl OutsideMove {
    /// What stands for the source where none is said.
    pub const UNKNOWN_SOURCE: &str = "unknown";
}
