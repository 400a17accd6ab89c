//! A turn as a script gives it.

use super::input::Input;
use crate::engine::session::Operation;
use crate::machine::{NeedKey, Value};

/// A turn as a script gives it: what happens before it, the input, and the answer to what the turn needs from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedTurn {
    /// Operations on the session before the turn.
    pub before: Vec<Operation>,
    pub input: Input,
    /// The scripted answer to what the turn asks of a model.
    pub answer: Option<Value>,
    /// Scripted answers to these needs, whoever would be asked otherwise; nothing where nobody answered.
    pub answers: Vec<(NeedKey, Option<Value>)>,
}

impl ScriptedTurn {
    /// Whether whoever plays the assistant only asks what holds where the dialogue is, perhaps after something was said.
    pub fn only_calls(&self) -> bool {
        let input = &self.input;
        let stays = input.goto.is_none() && !input.consent.is_said();
        stays && input.intent.is_none() && input.reply.as_deref() == Some("")
    }
}
