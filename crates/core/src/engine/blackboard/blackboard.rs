//! The blackboard on which sources put their proposals.

use super::proposal::{Proposal, Proposed};
use super::reason::Reason;
use crate::engine::source_kind::SourceKind;
use crate::machine::{ActionId, Level, SlotId, StateId, UNRANKED, Value};

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
    pub(in crate::engine) fn act(
        &mut self,
        by: SourceKind,
        action: ActionId,
        level: Level,
        reason: impl Into<Reason>,
    ) -> &mut Proposal {
        self.put(Proposed::Action(action), by, level, reason.into())
    }

    /// Proposes an action that leaves no room for a move.
    pub(in crate::engine) fn block(
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
    pub(in crate::engine) fn go(
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
    pub(in crate::engine) fn add(&mut self, proposal: Proposal) -> &mut Proposal {
        let at = self.proposals.len();
        self.proposals.push(proposal);
        // The proposal was put there just now.
        #[expect(clippy::indexing_slicing, reason = "the element that was pushed")]
        &mut self.proposals[at]
    }

    /// Keeps a text of a model and gives its number.
    pub(in crate::engine) fn keep_text(&mut self, text: &str) -> Option<u16> {
        self.texts.push(text.into());
        u16::try_from(self.texts.len() - 1).ok()
    }

    /// Whether some move is proposed.
    #[inline]
    pub(in crate::engine) fn has_move(&self) -> bool {
        self.proposals.iter().any(|proposal| !proposal.is_action())
    }
}
