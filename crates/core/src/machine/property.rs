//! Properties: invariants and other rules that every dialogue must satisfy.

use std::num::NonZeroU32;

use super::{ConditionId, RuleId};

/// A property that every dialogue must satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineProperty {
    pub name: Box<str>,
    pub condition: ConditionId,
    /// When the condition must hold.
    pub kind: PropertyKind,
    /// The location of the property.
    pub rule: RuleId,
}

/// When the condition of a property must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// After every turn.
    Always,
    /// After no turn.
    Never,
    /// After a turn in which `after` holds, or after a later turn of the dialogue.
    LeadsTo {
        /// The condition that creates the obligation.
        after: ConditionId,
        /// The maximum number of turns until the condition holds.
        within: Option<NonZeroU32>,
    },
    /// After at least one turn of one dialogue.
    Reachable,
}

impl PropertyKind {
    /// Whether checking the property requires more than one turn.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::LeadsTo { .. } | Self::Reachable)
    }
}
