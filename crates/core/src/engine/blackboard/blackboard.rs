//! The blackboard on which sources put their proposals.

use crate::engine::{ConditionError, Reason, SourceKind};
use crate::machine::{
    ActionId, EdgeMark, Level, ProposalClass, RuleId, SlotId, StateId, UNRANKED, Value,
};

/// The proposals of one turn, and what sources noted besides. Used again from turn to turn.
#[derive(Debug, Default)]
pub struct Blackboard {
    /// The proposals in the order in which they were made.
    pub proposals: Vec<Proposal>,
    /// Data that the decision sets.
    pub updates: Vec<(SlotId, Value)>,
    /// Sources that failed, and why.
    pub errors: Vec<(SourceKind, Box<str>)>,
    /// Texts that a model gave.
    pub texts: Vec<Box<str>>,
    /// A target that the profile `reference` cannot take: a condition where it expects a name.
    pub unusable_target: bool,
}

impl Blackboard {
    /// Takes everything down.
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

    /// Proposes an action that leaves no room for a move.
    pub(crate) fn block(
        &mut self,
        by: SourceKind,
        action: ActionId,
        level: Level,
        reason: impl Into<Reason>,
    ) {
        self.act(by, action, level, reason).combinable = false;
    }

    /// Proposes a move.
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

    /// Puts a proposal on the board.
    #[inline]
    pub(crate) fn add(&mut self, proposal: Proposal) -> &mut Proposal {
        let at = self.proposals.len();
        self.proposals.push(proposal);
        // The proposal was put there just now.
        #[expect(clippy::indexing_slicing, reason = "the element that was pushed")]
        &mut self.proposals[at]
    }

    /// Keeps a text of a model and gives its number.
    pub(crate) fn keep_text(&mut self, text: &str) -> Option<u16> {
        self.texts.push(text.into());
        u16::try_from(self.texts.len() - 1).ok()
    }

    /// Whether some move is proposed.
    #[inline]
    pub(crate) fn has_move(&self) -> bool {
        self.proposals.iter().any(|proposal| !proposal.is_action())
    }
}

/// What a source proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// To act.
    Action(ActionId),
    Move(StateId),
}

/// A proposal with everything that decides between it and others.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    pub proposed: Proposed,
    /// How urgent it is.
    pub level: Level,
    /// Its rank within the level; [`UNRANKED`] where no priority entry matches.
    pub rank: i64,
    /// Whether it leaves room for a move beside it.
    pub combinable: bool,
    /// Who proposes it; nobody, where the engine itself does.
    pub by: Option<SourceKind>,
    /// Why.
    pub reason: Reason,
    /// The rule it comes from.
    pub rule: Option<RuleId>,
    /// The mark of the edge that it takes.
    pub mark: Option<EdgeMark>,
}

impl Proposal {
    /// Whether this is an action.
    #[inline]
    pub fn is_action(&self) -> bool {
        matches!(self.proposed, Proposed::Action(_))
    }

    /// What kind of proposal the priority table sees.
    pub fn class(&self) -> ProposalClass {
        match (self.proposed, self.reason) {
            (Proposed::Action(_), Reason::Rule(_)) => ProposalClass::RuleAction,
            (Proposed::Action(_), _) => ProposalClass::OtherAction,
            (Proposed::Move(_), Reason::IntentTransition(_)) => ProposalClass::IntentTransition,
            // A step back that the state does not give itself is one all the same.
            (Proposed::Move(_), _) if self.mark == Some(EdgeMark::Back) => {
                ProposalClass::IntentTransition
            }
            (Proposed::Move(_), Reason::DataComplete) => ProposalClass::DataComplete,
            (Proposed::Move(_), Reason::AnyTransition) => ProposalClass::AnyTransition,
            (Proposed::Move(_), _) => ProposalClass::OtherTransition,
        }
    }
}

/// Why a source contributes nothing.
pub(crate) enum SourceError {
    /// A condition has no value.
    Condition(ConditionError),
    /// The limits of personas know neither this one nor `default`.
    NoPersona,
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(error) => error.fmt(f),
            Self::NoPersona => {
                f.write_str("the persona limits have neither this persona nor `default`")
            }
        }
    }
}
