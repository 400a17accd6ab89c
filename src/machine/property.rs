//! What holds after every turn of a machine, or never does.

use super::id::{ConditionId, RuleId};

/// What holds after every turn of a machine, or never does.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineProperty {
    /// The name.
    pub name: Box<str>,
    /// The condition.
    pub condition: ConditionId,
    /// Whether it always holds; otherwise it never does.
    pub always: bool,
    /// Where it is written.
    pub rule: RuleId,
}
