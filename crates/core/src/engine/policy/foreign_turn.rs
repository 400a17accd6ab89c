//! A turn that somebody else played, and what of it a policy does not allow.

use crate::engine::Machine;
use crate::engine::io::Input;
use crate::engine::session::{Session, Settings};
use crate::machine::{RuleId, Value};

/// A turn that somebody else played, as far as it is known.
#[derive(Clone, Copy)]
pub struct ForeignTurn<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The session before the turn.
    pub before: &'a Session,
    /// The session after it.
    pub after: &'a Session,
    /// What came in.
    pub input: &'a Input,
    /// What the backend came to; nothing where it was not asked, or nobody says.
    pub outcome: Option<&'a str>,
    /// What the backend gave, where that is known.
    pub given: Option<&'a Value>,
    /// Whether it is known what came in.
    pub is_read: bool,
    /// Whether all data are known, not frames alone.
    pub tells_data: bool,
    /// Which turn of the dialogue it is, where that is known.
    pub number: Option<u32>,
}

/// Something that a turn did and a policy does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyBreach {
    /// The rule that it breaks, by its name in reports.
    pub rule: &'static str,
    /// Where the policy declares it.
    pub place: Option<RuleId>,
    /// What the turn did.
    pub found: String,
    /// What the policy declares.
    pub declared: String,
}
