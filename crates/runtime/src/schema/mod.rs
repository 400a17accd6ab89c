//! What the formats look like that people write and programs read, as JSON Schemas: for editors, and for other tools.
//!
//! The keys are declared in `fsmsim_syntax::shapes`; words that are a table of the program are taken from there (`word_list.rs`).

mod format_schema;
mod key_table;
mod shape_schema;
mod word_list;

pub use format_schema::FormatSchema;
pub use key_table::key_table;
pub use word_list::word_list;
