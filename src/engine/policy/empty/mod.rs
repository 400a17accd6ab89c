//! A policy that does nothing: what a new one begins with.

use crate::engine::blackboard::{ReasonKind, ReasonNames};
use crate::engine::policy::{Hooks, PolicyHooks};

/// What the files say: nothing.
#[derive(Clone, Debug, Default)]
pub struct Empty;

/// Why the policy proposes something: it never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EmptyReason {}

impl EmptyReason {
    pub(in crate::engine) fn kind(self) -> ReasonKind {
        match self {}
    }

    pub(in crate::engine) fn code(self, _: ReasonNames<'_>) -> (&str, &str) {
        match self {}
    }

    pub(in crate::engine) fn words(self, _: ReasonNames<'_>) -> String {
        match self {}
    }
}

impl PolicyHooks for Empty {
    const NAME: &'static str = "empty";
    const HOOKS: Hooks = Hooks::empty();
    type Settings = ();
    type Memory = ();
    type Turn = ();
}
