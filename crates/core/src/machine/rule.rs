//! Rules: what a state does with an intent, where that was written, and how edges are marked.

use super::{ActionId, ConditionId, OriginId, RuleId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// A list of alternatives for one intent in one state, tried in order: a stretch of the machine's clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chain {
    /// The first.
    pub(super) start: u32,
    /// Behind the last.
    pub(super) end: u32,
}

/// One alternative.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// When it applies; always, if nothing.
    pub when: Option<ConditionId>,
    /// What it gives.
    pub then: Consequent,
    /// Where it was written.
    pub rule: RuleId,
}

/// What an alternative gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequent {
    Action(ActionId),
    /// A move.
    State(StateId),
}

impl Consequent {
    /// The action that it proposes.
    #[inline]
    pub fn action(self) -> Option<ActionId> {
        match self {
            Self::Action(action) => Some(action),
            Self::State(_) => None,
        }
    }

    /// The state that it leads to.
    #[inline]
    pub fn state(self) -> Option<StateId> {
        match self {
            Self::State(state) => Some(state),
            Self::Action(_) => None,
        }
    }
}

/// A written rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The text that wrote it.
    pub span: Span,
    /// The line it stands in, from 1.
    pub line: u32,
    /// How it came to the state that has it.
    pub origin: OriginId,
    /// What it says of the turn that takes it.
    pub mark: Option<EdgeMark>,
    /// What is done where it is taken: a stretch of the machine's operations.
    pub(super) ops: (u32, u32),
}

/// How a rule came to a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The state whose definition brought it in: the state itself, or a parent it extends.
    pub state: Box<str>,
    /// The mixin that wrote it.
    pub mixin: Option<Box<str>>,
}

/// The mark of an edge, which the class of a turn shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMark {
    /// A step back.
    Back,
    /// What was done is planned anew.
    Replan,
    /// Branches were started.
    Fork,
    /// Branches came together.
    Join,
    /// A way was chosen.
    Choice,
}
