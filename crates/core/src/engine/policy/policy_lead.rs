//! How a policy moves a dialogue from a state without a rule.

use crate::engine::source_kind::SourceKind;
use crate::machine::StateId;

/// How a policy moves a dialogue from a state, in addition to its transitions ([`super::PolicyWay`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyLead {
    /// The settings permit transitions to any state.
    pub anywhere: bool,
    /// The settings can force the transition for complete data.
    pub completes: bool,
    /// The source by which a model selects the next state.
    pub decides: Option<SourceKind>,
    /// The state is an interruption: it leads back to the interrupted state.
    pub aside: bool,
    /// The state that interrupts dialogues and returns.
    pub interrupts: Option<StateId>,
}

impl PolicyLead {
    /// Both policies together.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            anywhere: self.anywhere || other.anywhere,
            completes: self.completes || other.completes,
            decides: self.decides.or(other.decides),
            aside: self.aside || other.aside,
            interrupts: self.interrupts.or(other.interrupts),
        }
    }
}
