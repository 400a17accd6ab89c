//! Recorded traces, to be held against a model: ours, or those of another system, with a map of where its fields are.

mod borrowed_json;
mod dialogue;
mod field_mapping;
mod find_first;
mod map;
mod observed_text;
mod path;
mod projection;
mod reader;

pub use borrowed_json::BorrowedJson;
pub use dialogue::{ObservedDialogue, ObservedTurn};
pub use map::TraceMap;
pub use observed_text::ObservedText;
pub use reader::ObservedReader;
