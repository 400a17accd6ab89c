//! Operations: what is done to data, to counters and to the world when a rule, an edge or a way is taken, and what is said.

use std::sync::Arc;

use super::{ConditionId, CounterId, EffectUse, RuleId, SlotId, TextTemplate, ValueSource};

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

/// A message of the assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speech {
    /// These words.
    Text(Box<str>),
    /// A text with what is known in it; where something of it is not known, it is not said.
    Filled {
        text: TextTemplate,
        /// Somebody finds other words for it.
        is_phrased: bool,
    },
    /// What is known, between a beginning and an end.
    Known {
        /// What is said before it.
        before: Box<str>,
        /// What is told, a line each: what it is called, and where it is kept. What is not known is left out.
        told: Box<[(Box<str>, SlotId)]>,
        /// What is said behind it.
        behind: Box<str>,
    },
    /// Words that somebody finds.
    Phrase {
        /// What is to be said.
        about: Box<str>,
        /// Where the turn brings what was missing in what was said, for words that ask for it: a list of texts.
        missing: Option<SlotId>,
        /// The words where nobody finds any.
        otherwise: Option<Box<str>>,
    },
}

impl Speech {
    /// Whether somebody outside may have to find the words.
    pub(super) fn asks(&self) -> bool {
        matches!(
            self,
            Self::Phrase { .. }
                | Self::Filled {
                    is_phrased: true,
                    ..
                }
        )
    }
}
