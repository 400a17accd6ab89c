//! What the engine needs from outside, and what it is given.

use std::sync::Arc;

use crate::machine::{EffectId, NeedKey, NeedKind, SchemaId, StateId, Value};

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
    /// Somebody holds what was said against what the state asks for: a map with `completeness`, and perhaps `missing`, `for` and
    /// `approved`.
    Assess {
        /// The state in which it was said.
        state: StateId,
    },
    /// Whoever plays the assistant says something by the instruction of the state, and perhaps moves on: a map with
    /// `reply`, and perhaps `target` and `consent`.
    Navigate { state: StateId },
    /// A model decides how an autonomous state goes on: a map with `should_transition`, `next_state`, `reasoning`.
    Decide { state: StateId },
    /// A node of a cycle does its work: a map with `output`.
    Work {
        /// The node.
        state: StateId,
    },
    /// The world does something: a map with `status`, and what it gave.
    Effect {
        /// What is done.
        effect: EffectId,
        /// The number among the effects of this kind in the turn, from 0.
        index: u32,
        /// What its payload fits.
        schema: Option<SchemaId>,
        /// What it is done with. Where data is read, the list of what is asked for.
        payload: Value,
    },
    /// Somebody finds the words for a message: a map with `reply`, or the words.
    Phrase {
        /// The state after the turn.
        state: StateId,
        /// The number among the messages of the turn that are to be found, from 0.
        index: u32,
        /// What is to be said.
        about: Box<str>,
        /// What was missing in what was said, where the words are to ask for it.
        missing: Box<[Box<str>]>,
        /// There are words for it where nobody finds any.
        is_optional: bool,
    },
}

impl Need {
    /// By what it and its answer are known in the turn.
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
    /// A value as the need asks for it, or nothing where nobody could say anything.
    pub value: Option<Value>,
    /// Who gave it; nothing where the script did, or nobody.
    pub by: Option<Arc<str>>,
    /// Who was asked before and did not answer, and why.
    pub failed: Vec<(Arc<str>, Arc<str>)>,
}

impl Answer {
    /// Whether somebody read what was said.
    pub fn is_reading(&self) -> bool {
        self.key.kind == NeedKind::Classify
    }
}

/// The answer to a need, among those that were given.
pub(crate) fn answer_of(answers: &[Answer], key: NeedKey) -> Option<&Answer> {
    answers.iter().find(|answer| answer.key == key)
}

/// The answer to the only need of a kind, or to the first.
pub(crate) fn first_answer(answers: &[Answer], kind: NeedKind) -> Option<&Answer> {
    answer_of(answers, NeedKey::first(kind))
}

/// A text that whoever plays the assistant gave under this key.
pub fn told<'a>(answers: &'a [Answer], key: &str) -> Option<&'a str> {
    first_answer(answers, NeedKind::Navigate)?
        .value
        .as_ref()?
        .get(key)?
        .as_text()
}

/// A confidence as a number from 0 to 1; nothing, where it is no number.
pub(crate) fn certainty(value: Option<&Value>) -> Option<f64> {
    match value? {
        number @ (Value::Int(_) | Value::Float(_)) => number.as_number(),
        _ => None,
    }
    .filter(|number| !number.is_nan())
    .map(|number| number.clamp(0.0, 1.0))
}
