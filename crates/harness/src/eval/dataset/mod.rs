//! Labeled utterances: utterances with their intents and the states in which they occur.

mod dataset_file;
mod dataset_reader;
mod dataset_table;
mod dataset_utterance;
mod table_line;
mod utterance_filter;

pub use dataset_file::DatasetFile;
pub use dataset_utterance::{DatasetUtterance, NONE};
pub use utterance_filter::UtteranceFilter;
