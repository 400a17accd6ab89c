//! Rules: the reactions of a state to an intent, their locations, and the marks of edges.

use super::{ActionId, ConditionId, OriginId, RuleId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// A list of alternatives for one intent in one state, tried in order: a range of the machine's alternatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chain {
    pub(super) start: u32,
    /// The end, exclusive.
    pub(super) end: u32,
}

/// An alternative of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Alternative {
    /// The condition; without one, the alternative always applies.
    pub when: Option<ConditionId>,
    /// The consequent.
    pub then: Consequent,
    /// The location of the rule.
    pub rule: RuleId,
}

/// The result of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequent {
    Action(ActionId),
    /// A transition.
    State(StateId),
}

impl Consequent {
    /// The proposed action.
    #[inline]
    pub fn action(self) -> Option<ActionId> {
        match self {
            Self::Action(action) => Some(action),
            Self::State(_) => None,
        }
    }

    /// The target state.
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
    /// The location of the rule.
    pub span: Span,
    /// The line number, from 1.
    pub line: u32,
    /// The mixin and the parent that the rule comes from.
    pub origin: OriginId,
    /// The mark that determines the class of the turn.
    pub mark: Option<EdgeMark>,
    /// The operations: a range of the machine's operations.
    pub(super) ops: (u32, u32),
}

/// The mixin and the parent from which a state gets a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The state whose definition contains the rule: the state itself, or a parent that it extends.
    pub state: Box<str>,
    /// The mixin that defines the rule.
    pub mixin: Option<Box<str>>,
}

/// The mark of an edge, which determines the class of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMark {
    /// Going back.
    Back,
    /// Repeated planning.
    Replan,
    /// Branches started.
    Fork,
    /// Branches joined.
    Join,
    /// A branch was chosen.
    Choice,
}
