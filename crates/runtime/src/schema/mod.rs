//! JSON Schemas for the file formats and for exchanged data, used by editors and other tools.
//!
//! The keys are declared in `fsmsim_syntax::shapes`. Word lists come from tables of the program (`word_list.rs`).

mod format_schema;
mod frame_schema;
mod shape_schema;
mod word_list;

pub use format_schema::FormatSchema;
pub use frame_schema::frame_schema;
pub use word_list::word_list;
