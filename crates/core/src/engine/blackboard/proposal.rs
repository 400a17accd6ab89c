//! What a source proposes.

use super::reason::Reason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{ActionId, EdgeMark, Level, ProposalClass, RuleId, StateId};

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
