//! Where a value comes from.

use super::id::SlotId;
use super::need::NeedKey;
use super::value::Value;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueSource {
    /// It is always this one.
    Constant(Value),
    /// What the turn brings under this name; where it brings nothing, the slot stays as it is.
    Said(SlotId),
    /// What a slot holds, after the operations before this one.
    Slot(SlotId),
    /// What another slot held before the turn.
    Was(SlotId),
    /// What another slot would hold, had the class of the turn not been replaced.
    Attempted(SlotId),
    /// What the world gave under these keys, one inside the other.
    Outcome(Box<[Box<str>]>),
    /// What the answer to this need holds under these keys, one inside the other; where there is none, the slot stays as it
    /// is.
    Answer(NeedKey, Box<[Box<str>]>),
    /// The number of the turn.
    Turn,
    /// What was meant.
    Reading,
    /// Of what the turn brings under this name, what is in the list that another slot held before the turn.
    Among(SlotId, SlotId),
}
