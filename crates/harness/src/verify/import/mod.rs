//! Imports recorded traces for verification. Traces of external systems require a map of the fields.

mod borrowed_json;
mod dialogue;
mod event_fold;
mod field_mapping;
mod find_first;
mod foreign_lines;
mod json_brackets;
mod map;
mod observed_text;
mod open_dialogues;
mod path;
mod projection;
mod reader;
mod staying_fields;

pub use borrowed_json::BorrowedJson;
pub use dialogue::{ObservedDialogue, ObservedTurn};
pub use map::TraceMap;
pub use observed_text::ObservedText;
pub use reader::ObservedReader;
