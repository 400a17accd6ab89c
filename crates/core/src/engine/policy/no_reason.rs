//! Why a policy moves a dialogue that never does: states and edges do.

use crate::engine::Machine;
use crate::engine::blackboard::{ReasonKind, ReasonNames};

/// There is none. The letter tells the policies apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoReason<const POLICY: char> {}

impl<const POLICY: char> NoReason<POLICY> {
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
