//! Recognition of utterances without a model: intents by examples, and values by their form.

mod calibration;
mod dual_coordinate;
mod features;
mod intent_option;
mod kernel_ridge;
mod portable;
mod recognizer;
mod recognizer_cache;
mod sentence_reader;
mod slot_offer;
mod training_set;
mod values;

pub use intent_option::IntentOption;
pub use recognizer::{LeftOutExample, Recognition, Recognizer, ScoredClass};
pub(crate) use recognizer_cache::shared_recognizer;
pub use sentence_reader::SentenceReader;
pub use slot_offer::SlotOffer;
pub use training_set::{TrainingClass, TrainingExample, TrainingSet};
pub use values::{ReadValue, ValueReader};
