//! Operations: changes to data and counters, effects, and messages when a rule, an edge or a branch is taken.

use std::sync::Arc;

use super::{ConditionId, CounterId, EffectUse, RuleId, SlotId, TextTemplate, ValueSource};

/// An operation that runs when a rule, an edge or a branch is taken, or when a state is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    pub kind: OpKind,
    /// The operation runs only if this condition holds.
    pub when: Option<ConditionId>,
    /// The location of the operation.
    pub rule: RuleId,
}

/// The kind of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// Sets a slot.
    Set(SlotId, ValueSource),
    /// Clears a slot.
    Clear(SlotId),
    /// Appends a value to a list, unless the list contains it.
    Append(SlotId, ValueSource),
    /// Adds to a counter.
    Count(CounterId, i64),
    /// Resets a counter to a value.
    Recount(CounterId, i64),
    /// Performs an effect.
    Effect(Arc<EffectUse>),
    /// Sends a message.
    Say(Arc<Speech>),
}

impl Op {
    /// The slot that the operation changes.
    pub fn slot(&self) -> Option<SlotId> {
        match self.kind {
            OpKind::Set(slot, _) | OpKind::Clear(slot) | OpKind::Append(slot, _) => Some(slot),
            OpKind::Count(..) | OpKind::Recount(..) | OpKind::Effect(_) | OpKind::Say(_) => None,
        }
    }

    /// Whether the operation only sends a message that needs no answer from outside.
    pub(super) fn only_says(&self) -> bool {
        matches!(self.kind, OpKind::Say(_)) && !self.asks()
    }

    /// Whether the operation can need an answer from outside.
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

    /// The source of the stored value.
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
    /// Literal text.
    Text(Box<str>),
    /// A template; the message is not sent if a value is unknown.
    Filled {
        text: TextTemplate,
        /// Whether a model rephrases the text.
        is_phrased: bool,
    },
    /// Known values, between an introduction and a conclusion.
    Known {
        /// The introduction.
        before: Box<str>,
        /// The values, one line each: the label and the slot. Unknown values are omitted.
        values: Box<[(Box<str>, SlotId)]>,
        /// The conclusion.
        after: Box<str>,
    },
    /// A message that a model generates.
    Phrase {
        /// The subject of the message.
        about: Box<str>,
        /// The slot that lists what was missing in the utterance, as strings.
        missing: Option<SlotId>,
        /// The message if none is generated.
        otherwise: Option<Box<str>>,
    },
}

impl Speech {
    /// Whether the message can need text from outside.
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
