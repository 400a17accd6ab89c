//! What the engine needs from outside.

use crate::machine::{ClassId, SchemaId, SlotId, StateId, Value};

/// Something that only the outside can say. The engine returns it, the driver finds the answer and plays the turn again
/// from the top.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Somebody reads what was said: a map with `intent`, and perhaps `confidence`, `alternatives`,
    /// `also`, `data`, `tone`, `frustration`.
    Classify {
        /// The state in which it was said.
        state: StateId,
    },
    /// Whoever plays the assistant says something by the instruction of the state, and perhaps moves on: a map with
    /// `reply`, and perhaps `target` and `consent`.
    Navigate {
        /// The state.
        state: StateId,
    },
    /// The user's data is read for a state: a map with `status` (`ok`, `invalid` or `down`) and `data`.
    Read {
        /// The state that is entered.
        state: StateId,
        /// What is read.
        keys: Box<[SlotId]>,
    },
    /// Data of the user is written by a state: a map with `status`.
    Write {
        /// The state that is entered.
        state: StateId,
        /// The schema.
        schema: SchemaId,
        /// What is written.
        payload: Value,
    },
    /// The backend executes the route of a class: a map with `status`, as its outcomes are called, and what
    /// they put into fields.
    Execute {
        /// The class.
        class: ClassId,
        /// The route.
        route: Value,
        /// What is known: data of the turn by name, and fields as `FRAME.FIELD`.
        data: Value,
    },
    /// A model decides how an autonomous state goes on: a map with `should_transition`, `next_state`, `reasoning`.
    Decide {
        /// The state.
        state: StateId,
    },
}

impl Need {
    /// The kind, as traces write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Classify { .. } => CLASSIFY,
            Self::Execute { .. } => EXECUTE,
            Self::Decide { .. } => DECIDE,
            Self::Navigate { .. } => NAVIGATE,
            Self::Read { .. } => READ,
            Self::Write { .. } => WRITE,
        }
    }
}

pub(in crate::engine) const CLASSIFY: &str = "classify";
pub(in crate::engine) const DECIDE: &str = "decide";
pub(in crate::engine) const EXECUTE: &str = "execute";
pub(in crate::engine) const NAVIGATE: &str = "navigate";
pub(in crate::engine) const READ: &str = "read";
pub(in crate::engine) const WRITE: &str = "write";

/// All kinds of needs.
pub const NEED_KINDS: [&str; 6] = [CLASSIFY, DECIDE, EXECUTE, NAVIGATE, READ, WRITE];
