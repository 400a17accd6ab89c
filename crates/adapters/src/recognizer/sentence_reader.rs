//! The recognizer and the value reader of a machine.

use std::sync::Arc;

use super::recognizer::Recognizer;
use super::recognizer_cache::shared_recognizer;
use super::training_set::TrainingSet;
use super::values::ValueReader;
use fsmsim_core::engine::Machine;

/// Reads utterances to a machine: intents by its examples, and values by their form.
#[derive(Debug)]
pub struct SentenceReader {
    pub recognizer: Arc<Recognizer>,
    pub values: ValueReader,
}

impl SentenceReader {
    /// The reader of a machine, created on first use.
    pub fn of(machine: &Machine) -> Arc<Self> {
        machine.derived.get(|| Self {
            recognizer: shared_recognizer(&TrainingSet::of(machine)),
            values: ValueReader::of(machine),
        })
    }
}
