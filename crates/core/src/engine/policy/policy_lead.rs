//! How a policy leads a dialogue from a state where no rule does.

use crate::engine::source_kind::SourceKind;
use crate::machine::StateId;

/// How a policy leads a dialogue from a state, beside its ways ([`super::PolicyWay`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyLead {
    /// The settings let a dialogue go anywhere.
    pub anywhere: bool,
    /// The settings may force what complete data would do.
    pub completes: bool,
    /// The source by which a model decides where it goes.
    pub decides: Option<SourceKind>,
    /// The state is beside the dialogue: it leads back to where that was interrupted.
    pub aside: bool,
    /// The state that interrupts a dialogue, from which it returns.
    pub interrupts: Option<StateId>,
}

impl PolicyLead {
    /// What two policies do together.
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
