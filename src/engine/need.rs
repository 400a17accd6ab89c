//! What the engine needs from outside, and what it is given.

use crate::machine::{StateId, Value};

/// Something that only the outside can say. The engine returns it, the driver finds the answer and plays the turn again
/// from the top.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// A model decides how an autonomous state goes on.
    Decide {
        /// The state.
        state: StateId,
    },
}

impl Need {
    /// The kind, as traces write it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Decide { .. } => "decide",
        }
    }
}

/// The answer to a need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The kind of need that was answered.
    pub kind: &'static str,
    /// A value as the need asks for it, or nothing where nobody could say anything.
    pub value: Option<Value>,
}
