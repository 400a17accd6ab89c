//! A turn that another system ran, and how it violates a policy.

use crate::engine::Machine;
use crate::engine::io::Input;
use crate::engine::session::{Session, Settings};
use crate::machine::{RuleId, Value};

/// The known parts of a turn that another system ran.
#[derive(Clone, Copy)]
pub struct ForeignTurn<'a> {
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    pub before: &'a Session,
    pub after: &'a Session,
    pub input: &'a Input,
    /// The outcome of the back end, if it was called and the trace contains it.
    pub outcome: Option<&'a str>,
    /// The result of the back end, if the trace contains it.
    pub given: Option<&'a Value>,
    /// Whether the input is known.
    pub is_read: bool,
    /// Whether all data are known, not only frames.
    pub tells_data: bool,
    /// The number of the turn in the dialogue, if it is known.
    pub number: Option<u32>,
}

/// A violation of a policy by a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyBreach {
    /// The name of the violated rule in reports.
    pub rule: &'static str,
    /// The location of the rule in the definition.
    pub place: Option<RuleId>,
    /// What the turn did, in words.
    pub found: String,
    /// What the policy permits, in words.
    pub declared: String,
}
