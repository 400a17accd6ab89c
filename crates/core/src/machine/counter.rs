//! Counters that a definition declares.

use super::id::LimitId;

/// A counter of a dialogue that a definition declares; what policies count is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Whether the session keeps it; otherwise a policy works it out.
    pub is_declared: bool,
    /// Where it begins.
    pub initial: i64,
    /// The limit past which it is not counted, and its value where a dialogue does not change it.
    pub limit: Option<(LimitId, i64)>,
}
