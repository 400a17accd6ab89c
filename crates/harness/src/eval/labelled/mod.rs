//! Labeled utterances: their intents, and the states in which they occur.

mod labelled_file;
mod labelled_reader;
mod labelled_table;
mod labelled_utterance;
mod table_line;
mod utterance_filter;

pub use labelled_file::LabelledFile;
pub use labelled_utterance::{LabelledUtterance, NONE};
pub use utterance_filter::UtteranceFilter;
