//! Operations: what is done to data, to counters and to the world when a rule, an edge or a way is taken.

use std::sync::Arc;

use super::effect::EffectUse;
use super::id::{ConditionId, CounterId, RuleId, SlotId};
use super::speech::Speech;
use super::value_source::ValueSource;

/// Something that is done when a rule, an edge or a way is taken, or a state is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// It is only done where this holds.
    pub when: Option<ConditionId>,
    /// Where it is written.
    pub rule: RuleId,
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// A value is put into a slot.
    Set(SlotId, ValueSource),
    /// A slot is emptied.
    Clear(SlotId),
    /// A value is put at the end of a list, unless it is in it.
    Append(SlotId, ValueSource),
    /// So much is counted.
    Count(CounterId, i64),
    /// The count begins again from here.
    Recount(CounterId, i64),
    /// Something is done to the world.
    Effect(Arc<EffectUse>),
    /// Something is said.
    Say(Arc<Speech>),
}

impl Op {
    /// The slot that it changes.
    pub fn slot(&self) -> Option<SlotId> {
        match self.kind {
            OpKind::Set(slot, _) | OpKind::Clear(slot) | OpKind::Append(slot, _) => Some(slot),
            OpKind::Count(..) | OpKind::Recount(..) | OpKind::Effect(_) | OpKind::Say(_) => None,
        }
    }

    /// Whether words are said that are there, and nothing else is done.
    pub(super) fn only_says(&self) -> bool {
        matches!(self.kind, OpKind::Say(_)) && !self.asks()
    }

    /// Whether somebody outside may have to say something before it is done.
    pub(super) fn asks(&self) -> bool {
        match &self.kind {
            OpKind::Effect(_) => true,
            OpKind::Say(speech) => speech.asks(),
            OpKind::Set(..)
            | OpKind::Clear(_)
            | OpKind::Append(..)
            | OpKind::Count(..)
            | OpKind::Recount(..) => false,
        }
    }

    /// Where the value comes from that it puts somewhere.
    pub fn source(&self) -> Option<&ValueSource> {
        match &self.kind {
            OpKind::Set(_, source) | OpKind::Append(_, source) => Some(source),
            OpKind::Clear(_)
            | OpKind::Count(..)
            | OpKind::Recount(..)
            | OpKind::Effect(_)
            | OpKind::Say(_) => None,
        }
    }
}
