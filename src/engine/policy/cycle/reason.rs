//! Why the policy of a cycle moves a dialogue: it never does, states and edges do.

use crate::engine::Machine;
use crate::engine::blackboard::{ReasonKind, ReasonNames};

/// There is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CycleReason {}

impl CycleReason {
    pub(in crate::engine) fn all(_: &Machine) -> Vec<Self> {
        Vec::new()
    }

    pub(in crate::engine) fn kind(self) -> ReasonKind {
        match self {}
    }

    pub(in crate::engine) fn code(self, _: ReasonNames<'_>) -> (&'static str, &'static str) {
        match self {}
    }

    pub(in crate::engine) fn words(self, _: ReasonNames<'_>) -> String {
        match self {}
    }
}
