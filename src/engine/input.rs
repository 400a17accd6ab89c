//! What comes in: one turn of the user.

use std::sync::Arc;

use super::consent::Consent;
use super::name::Symbol;
use super::operate::Operation;
use crate::machine::{Float, IntentId, Signal, SlotId, StateId, Value};

/// The input of a turn, already read: an intent with what was extracted from the utterance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// What was meant.
    pub intent: Option<Symbol<IntentId>>,
    /// What was said, word for word.
    pub say: Option<Arc<str>>,
    /// What was meant besides.
    pub also: Vec<Symbol<IntentId>>,
    /// How certain the reading is, from 0 to 1.
    pub confidence: Option<Float>,
    /// The tone.
    pub tone: Option<Arc<str>>,
    /// How frustrated the user is, from 0 to 10.
    pub frustration: Option<i64>,
    /// The data that the utterance brought.
    pub data: TurnData,
    /// Context signals that are given from outside.
    pub signals: Vec<(Signal, Value)>,
    /// The readings to choose from.
    pub options: Vec<Value>,
    /// The question to ask back.
    pub question: Option<Arc<str>>,
    /// Where whoever plays the assistant goes.
    pub goto: Option<Symbol<StateId>>,
    /// What the user says about the data of the digital twin.
    pub consent: Consent,
    /// What the assistant says.
    pub reply: Option<Arc<str>>,
    /// Seconds since the dialogue began.
    pub elapsed: Option<Float>,
}

/// The data that an utterance brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TurnData {
    /// Not said.
    #[default]
    Absent,
    /// Said to be null, which the profile `reference` cannot process.
    Null,
    /// These values, in order.
    Given(Vec<(Symbol<SlotId>, Value)>),
}

impl TurnData {
    /// The values.
    #[must_use]
    pub fn values(&self) -> &[(Symbol<SlotId>, Value)] {
        match self {
            Self::Given(values) => values,
            _ => &[],
        }
    }
}

/// A turn as a script gives it: what happens before it, the input, and the answer to what the turn needs from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedTurn {
    /// Operations on the session before the turn.
    pub before: Vec<Operation>,
    /// The input.
    pub input: Input,
    /// The scripted answer to what the turn asks of a model.
    pub answer: Option<Value>,
    /// Scripted answers to needs of these kinds, whoever would be asked otherwise; nothing where nobody answered.
    pub answers: Vec<(&'static str, Option<Value>)>,
}

impl ScriptedTurn {
    /// Whether whoever plays the assistant only asks what holds where the dialogue is.
    #[must_use]
    pub fn only_calls(&self) -> bool {
        let input = &self.input;
        let stays = input.goto.is_none() && !input.consent.is_said() && input.say.is_none();
        stays && input.intent.is_none() && input.reply.as_deref() == Some("")
    }
}

impl Input {
    /// An input that is an intent and nothing else.
    #[must_use]
    pub fn intent(intent: IntentId) -> Self {
        Self { intent: Some(Symbol::Known(intent)), ..Self::default() }
    }
}
