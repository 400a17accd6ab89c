//! Where a policy may lead.

use crate::machine::{RuleId, StateId};

/// A way by which a policy may lead a dialogue out of a state, whatever the state's own rules say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyWay {
    /// Where it leads.
    pub target: StateId,
    /// What it is called, for people.
    pub called: Box<str>,
    /// Where it is written, where it is.
    pub rule: Option<RuleId>,
}
