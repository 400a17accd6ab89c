//! Operations: what is done to data and counters when a rule, an edge or a way is taken.

use super::id::{ConditionId, CounterId, RuleId, SlotId};
use super::value::Value;

/// Something that is done to data or to a counter when a rule, an edge or a way is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// It is only done where this holds.
    pub when: Option<ConditionId>,
    /// Where it is written.
    pub rule: RuleId,
}

/// What is done to data or to a counter.
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
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSource {
    /// It is always this one.
    Constant(Value),
    /// What the turn brings under this name; where it brings nothing, the slot stays as it is.
    Said(SlotId),
    /// What another slot held before the turn.
    Was(SlotId),
    /// What another slot would hold, had the class of the turn not been replaced.
    Attempted(SlotId),
    /// What the backend gave under this key.
    Outcome(Box<str>),
    /// What the answer to a need of this kind holds under these keys, one inside the other; where there is none, the slot
    /// stays as it is.
    Answer(&'static str, Box<[Box<str>]>),
    /// The number of the turn.
    Turn,
    /// What was meant.
    Reading,
    /// Of what the turn brings under this name, what is in the list that another slot held before the turn.
    Among(SlotId, SlotId),
}

impl Op {
    /// The slot that it changes.
    pub fn slot(&self) -> Option<SlotId> {
        match self.kind {
            OpKind::Set(slot, _) | OpKind::Clear(slot) | OpKind::Append(slot, _) => Some(slot),
            OpKind::Count(..) => None,
        }
    }

    /// Where the value comes from that it puts somewhere.
    pub fn source(&self) -> Option<&ValueSource> {
        match &self.kind {
            OpKind::Set(_, source) | OpKind::Append(_, source) => Some(source),
            OpKind::Clear(_) | OpKind::Count(..) => None,
        }
    }
}
