//! Recorded traces, to be held against a model: ours, or those of another system, with a map of where its fields are.

mod dialogue;
mod json;
mod map;
mod path;
mod plan;
mod probe;
mod reader;
mod shape;

pub use dialogue::{ObservedDialogue, ObservedTurn};
pub use json::Json;
pub use map::TraceMap;
pub use reader::{ObservedReader, ObservedText};
