//! Imports recorded traces for verification. Traces of external systems require a map of the fields.

mod borrowed_json;
mod carried_fields;
mod dialogue;
mod event_fold;
mod field_mapping;
mod find_first;
mod foreign_lines;
mod json_brackets;
mod json_items;
mod log_lines;
mod map;
mod observed_text;
mod open_dialogues;
mod order_key;
mod own_trace;
mod path;
mod preset;
mod projection;
mod reader;
mod skips;
mod trace_part;
mod turn_builder;

pub use borrowed_json::BorrowedJson;
pub(super) use carried_fields::CarriedFields;
pub use dialogue::{ObservedDialogue, ObservedTurn};
pub use map::TraceMap;
pub use observed_text::ObservedText;
pub use own_trace::write_own_trace;
pub use preset::trace_map_preset;
pub use reader::ObservedReader;
