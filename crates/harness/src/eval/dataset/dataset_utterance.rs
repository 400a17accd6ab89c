//! A labeled utterance.

use std::sync::Arc;

use fsmsim_adapters::llm::Utterance;
use fsmsim_core::engine::{Session, Settings};
use fsmsim_core::machine::Value;

/// The label of an utterance that matches no intent of the model. A recognizer is correct if it returns no intent for
/// the utterance.
pub const NONE: &str = "none";

/// An utterance with its intent and its context.
#[derive(Clone, Debug)]
pub struct DatasetUtterance {
    /// The key that identifies the utterance across reports: its ID, or else its state and its text.
    pub key: String,
    /// The location in the file.
    pub at: String,
    /// The utterance, verbatim.
    pub say: Arc<str>,
    /// The intent, or [`NONE`].
    pub intent: String,
    /// The secondary intents; `None` if they are not labeled.
    pub also: Option<Vec<String>>,
    /// The slot values; `None` if they are not labeled.
    pub data: Option<Vec<(String, Value)>>,
    pub lang: Option<String>,
    /// Tags to filter by.
    pub tags: Vec<String>,
    /// The dialogue before the utterance.
    pub history: Vec<Utterance>,
    pub state: String,
    /// The start of a dialogue in the state of the utterance.
    pub(crate) setting: Arc<(Settings, Session)>,
}
