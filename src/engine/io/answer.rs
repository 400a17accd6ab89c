//! What the engine is given for what it needs.

use std::sync::Arc;

use super::need::CLASSIFY;
use crate::machine::Value;

/// The answer to a need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The kind of need that was answered.
    pub kind: &'static str,
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
        self.kind == CLASSIFY
    }
}

/// The answer of a kind, among those that were given.
pub(in crate::engine) fn answer_of<'a>(answers: &'a [Answer], kind: &str) -> Option<&'a Answer> {
    answers.iter().find(|answer| answer.kind == kind)
}

/// A text that somebody gave in an answer under this key.
pub fn told<'a>(answers: &'a [Answer], key: &str) -> Option<&'a str> {
    answers.iter().find_map(|answer| answer.value.as_ref()?.get(key)?.as_text())
}
