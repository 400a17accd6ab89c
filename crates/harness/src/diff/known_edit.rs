//! An edit between two models, as people are told of it.

use super::sides::Sides;

/// An edit between two models, as people are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownEdit {
    /// Where it is in the second model: its first line there, else the one that follows.
    pub now: String,
    /// Where it was in the first model: its first line there; nothing where there was none.
    pub was: Option<String>,
    /// The mixin that brings it in, where it is one rule that comes by one.
    pub mixin: Option<String>,
    /// A rule is written there.
    pub is_of_rule: bool,
    /// The lines of both sides.
    pub lines: Sides<Vec<String>>,
}
