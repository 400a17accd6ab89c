//! What a dialogue keeps to, whatever way it takes.

use std::num::NonZeroU32;

use super::{ConditionId, RuleId};

/// What a dialogue keeps to, whatever way it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineProperty {
    pub name: Box<str>,
    pub condition: ConditionId,
    /// When the condition must hold.
    pub kind: PropertyKind,
    /// Where it is written.
    pub rule: RuleId,
}

/// When the condition of a property must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// After every turn.
    Always,
    /// After no turn.
    Never,
    /// After a turn behind which another one holds, or after a later turn of the dialogue.
    LeadsTo {
        /// What makes it owed.
        after: ConditionId,
        /// The turns after which it must have held.
        within: Option<NonZeroU32>,
    },
    /// After some turn of some dialogue.
    Reachable,
}

impl PropertyKind {
    /// Whether one turn is not enough to judge it.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::LeadsTo { .. } | Self::Reachable)
    }
}
