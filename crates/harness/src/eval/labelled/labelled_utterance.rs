//! An utterance with what it means.

use std::sync::Arc;

use fsmsim_adapters::llm::Utterance;
use fsmsim_core::engine::{Session, Settings};
use fsmsim_core::machine::Value;

/// The label of an utterance that means nothing that the model knows; who says nothing about it has it right.
pub const NONE: &str = "none";

/// An utterance with what it means, and where it is said.
#[derive(Clone, Debug)]
pub struct LabelledUtterance {
    /// What it is known by from report to report: its id, or else the state and what is said.
    pub key: String,
    /// Where it is written.
    pub at: String,
    /// What is said, word for word.
    pub say: Arc<str>,
    /// What is meant, or [`NONE`].
    pub intent: String,
    /// What is meant besides; nothing, where the label is silent about it.
    pub also: Option<Vec<String>>,
    /// What is told, by slot; nothing, where the label is silent about it.
    pub data: Option<Vec<(String, Value)>>,
    /// The language.
    pub lang: Option<String>,
    /// Words by which it is chosen.
    pub tags: Vec<String>,
    /// What was said before it.
    pub history: Vec<Utterance>,
    /// The state in which it is said.
    pub state: String,
    /// The dialogue in which it is said.
    pub(crate) setting: Arc<(Settings, Session)>,
}
