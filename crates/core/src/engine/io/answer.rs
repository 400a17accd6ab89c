//! What the engine is given for what it needs.

use std::sync::Arc;

use crate::machine::{NeedKey, NeedKind, Value};

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
pub(in crate::engine) fn answer_of(answers: &[Answer], key: NeedKey) -> Option<&Answer> {
    answers.iter().find(|answer| answer.key == key)
}

/// The answer to the only need of a kind, or to the first.
pub(in crate::engine) fn first_answer(answers: &[Answer], kind: NeedKind) -> Option<&Answer> {
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
pub(in crate::engine) fn certainty(value: Option<&Value>) -> Option<f64> {
    match value? {
        number @ (Value::Int(_) | Value::Float(_)) => number.as_number(),
        _ => None,
    }
    .filter(|number| !number.is_nan())
    .map(|number| number.clamp(0.0, 1.0))
}
