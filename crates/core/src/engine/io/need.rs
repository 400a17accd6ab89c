//! The needs of the engine, and their answers.

use std::sync::Arc;

use crate::machine::{EffectId, NeedKey, NeedKind, SchemaId, StateId, Value};

/// An answer that the engine needs from outside. The engine returns the need, the driver gets the answer and runs the
/// turn again from the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Recognize the intent of an utterance. The answer is a map with `intent`, optionally `confidence`,
    /// `alternatives`, `also`, `data`, `tone`, `frustration`.
    Classify {
        /// The current state.
        state: StateId,
    },
    /// Assess an utterance against the criteria of the state. The answer is a map with `completeness`, optionally
    /// `missing`, `for` and `approved`.
    Assess {
        /// The current state.
        state: StateId,
    },
    /// Generate a reply according to the instruction of the state, optionally with a transition. The answer is a map
    /// with `reply`, optionally `target` and `consent`.
    Navigate { state: StateId },
    /// Decide how an autonomous state continues. The answer is a map with `should_transition`, `next_state`,
    /// `reasoning`.
    Decide { state: StateId },
    /// Perform the task of an agent-cycle node. The answer is a map with `output`.
    Work {
        /// The node.
        state: StateId,
    },
    /// Perform an effect. The answer is a map with `status` and the returned data.
    Effect {
        effect: EffectId,
        /// The index among the effects of this kind in the turn, starting at 0.
        index: u32,
        /// The schema of the payload.
        schema: Option<SchemaId>,
        /// The payload. For reading data, the list of requested names.
        payload: Value,
    },
    /// Generate the text of a message. The answer is a map with `reply`, or the text.
    Phrase {
        /// The state after the turn.
        state: StateId,
        /// The index among the generated messages of the turn, starting at 0.
        index: u32,
        /// The subject of the message.
        about: Box<str>,
        /// The parts that were missing in the utterance, if the message asks for them.
        missing: Box<[Box<str>]>,
        /// Whether a default text exists.
        is_optional: bool,
    },
}

impl Need {
    /// The key that identifies the need and its answer in the turn.
    pub fn key(&self) -> NeedKey {
        match self {
            Self::Classify { .. } => NeedKey::first(NeedKind::Classify),
            Self::Assess { .. } => NeedKey::first(NeedKind::Assess),
            Self::Navigate { .. } => NeedKey::first(NeedKind::Navigate),
            Self::Decide { .. } => NeedKey::first(NeedKind::Decide),
            Self::Work { .. } => NeedKey::first(NeedKind::Work),
            Self::Effect { effect, index, .. } => NeedKey {
                kind: NeedKind::Effect(*effect),
                index: *index,
            },
            Self::Phrase { index, .. } => NeedKey {
                kind: NeedKind::Phrase,
                index: *index,
            },
        }
    }
}

/// The answer to a need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The need that was answered.
    pub key: NeedKey,
    /// The value that the need requires; `None` if no provider answered.
    pub value: Option<Value>,
    /// The provider; `None` if the answer is scripted or missing.
    pub by: Option<Arc<str>>,
    /// The providers that failed before, with the reasons.
    pub failed: Vec<(Arc<str>, Arc<str>)>,
}

impl Answer {
    /// An answer that no provider gave.
    pub fn given(key: NeedKey, value: Option<Value>) -> Self {
        Self {
            key,
            value,
            by: None,
            failed: Vec::new(),
        }
    }

    /// Whether this is the answer of a recognizer.
    pub fn is_reading(&self) -> bool {
        self.key.kind == NeedKind::Classify
    }
}

/// The answer to a need.
pub(crate) fn answer_of(answers: &[Answer], key: NeedKey) -> Option<&Answer> {
    answers.iter().find(|answer| answer.key == key)
}

/// The answer to the first need of a kind.
pub(crate) fn first_answer(answers: &[Answer], kind: NeedKind) -> Option<&Answer> {
    answer_of(answers, NeedKey::first(kind))
}

/// The string under a key in the assistant's answer.
pub fn answer_text<'a>(answers: &'a [Answer], key: &str) -> Option<&'a str> {
    first_answer(answers, NeedKind::Navigate)?
        .value
        .as_ref()?
        .get(key)?
        .as_text()
}

/// A confidence as a number from 0 to 1; `None` if it is not a number.
pub(crate) fn certainty(value: Option<&Value>) -> Option<f64> {
    match value? {
        number @ (Value::Int(_) | Value::Float(_)) => number.as_number(),
        _ => None,
    }
    .filter(|number| !number.is_nan())
    .map(|number| number.clamp(0.0, 1.0))
}
