//! The blackboard for the proposals of sources.

use crate::engine::{ConditionError, Reason, SourceKind};
use crate::machine::{
    ActionId, EdgeMark, Level, ProposalClass, RuleId, SlotId, StateId, UNRANKED, Value,
};

/// The proposals of one turn, and other results of sources. Reused from turn to turn.
#[derive(Debug, Default)]
pub struct Blackboard {
    /// The proposals in the order of their creation.
    pub proposals: Vec<Proposal>,
    /// Data that the decision sets.
    pub updates: Vec<(SlotId, Value)>,
    /// Sources that failed, with the errors.
    pub errors: Vec<(SourceKind, Box<str>)>,
    /// Texts that a model returned.
    pub texts: Vec<Box<str>>,
    /// Whether a target is not supported by the profile `reference`, which expects a name instead of conditions.
    pub unusable_target: bool,
}

impl Blackboard {
    /// Clears everything.
    #[inline]
    pub fn clear(&mut self) {
        self.proposals.clear();
        self.updates.clear();
        self.errors.clear();
        self.texts.clear();
        self.unusable_target = false;
    }

    /// Proposes an action.
    #[inline]
    pub(crate) fn act(
        &mut self,
        by: SourceKind,
        action: ActionId,
        level: Level,
        reason: impl Into<Reason>,
    ) -> &mut Proposal {
        self.put(Proposed::Action(action), by, level, reason.into())
    }

    /// Proposes an action that blocks any transition.
    pub(crate) fn block(
        &mut self,
        by: SourceKind,
        action: ActionId,
        level: Level,
        reason: impl Into<Reason>,
    ) {
        self.act(by, action, level, reason).combinable = false;
    }

    /// Proposes a transition.
    #[inline]
    pub(crate) fn go(
        &mut self,
        by: SourceKind,
        state: StateId,
        level: Level,
        reason: impl Into<Reason>,
    ) -> &mut Proposal {
        self.put(Proposed::Move(state), by, level, reason.into())
    }

    fn put(
        &mut self,
        proposed: Proposed,
        by: SourceKind,
        level: Level,
        reason: Reason,
    ) -> &mut Proposal {
        self.add(Proposal {
            proposed,
            level,
            rank: UNRANKED,
            combinable: true,
            by: Some(by),
            reason,
            rule: None,
            mark: None,
        })
    }

    #[inline]
    pub(crate) fn add(&mut self, proposal: Proposal) -> &mut Proposal {
        let at = self.proposals.len();
        self.proposals.push(proposal);
        // The index is that of the proposal pushed above.
        #[expect(clippy::indexing_slicing, reason = "the element that was pushed")]
        &mut self.proposals[at]
    }

    /// Stores text from a model and returns its index.
    pub(crate) fn keep_text(&mut self, text: &str) -> Option<u16> {
        self.texts.push(text.into());
        u16::try_from(self.texts.len() - 1).ok()
    }

    /// Whether any transition is proposed.
    #[inline]
    pub(crate) fn has_move(&self) -> bool {
        self.proposals.iter().any(|proposal| !proposal.is_action())
    }
}

/// The content of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    Action(ActionId),
    Move(StateId),
}

/// A proposal, with the properties that determine whether it wins.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    pub proposed: Proposed,
    pub level: Level,
    /// The rank within the level; [`UNRANKED`] if no priority entry matches.
    pub rank: i64,
    /// Whether it can be combined with a transition.
    pub combinable: bool,
    /// The source; `None` if the engine makes the proposal.
    pub by: Option<SourceKind>,
    pub reason: Reason,
    /// The rule, if the proposal comes from one.
    pub rule: Option<RuleId>,
    /// The mark of the edge.
    pub mark: Option<EdgeMark>,
}

impl Proposal {
    /// Whether this is an action.
    #[inline]
    pub fn is_action(&self) -> bool {
        matches!(self.proposed, Proposed::Action(_))
    }

    /// The class of the proposal in the priority table.
    pub fn class(&self) -> ProposalClass {
        match (self.proposed, self.reason) {
            (Proposed::Action(_), Reason::Rule(_)) => ProposalClass::RuleAction,
            (Proposed::Action(_), _) => ProposalClass::OtherAction,
            (Proposed::Move(_), Reason::IntentTransition(_)) => ProposalClass::IntentTransition,
            // Going back counts as an intent transition even if the state does not define it.
            (Proposed::Move(_), _) if self.mark == Some(EdgeMark::Back) => {
                ProposalClass::IntentTransition
            }
            (Proposed::Move(_), Reason::DataComplete) => ProposalClass::DataComplete,
            (Proposed::Move(_), Reason::AnyTransition) => ProposalClass::AnyTransition,
            (Proposed::Move(_), _) => ProposalClass::OtherTransition,
        }
    }
}

/// The reason why a source failed.
pub(crate) enum SourceError {
    /// A condition has no value.
    Condition(ConditionError),
    /// The limits of personas contain neither this persona nor `default`.
    NoPersona,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(error) => error.fmt(f),
            Self::NoPersona => {
                f.write_str("`persona_limits` has no entry for this persona and no `default`")
            }
        }
    }
}
