//! What the formats look like that people write and programs read, as JSON Schemas: for editors, and for other tools.
//!
//! The keys stand in `shapes/*.yaml`, in the words of `shape_type.rs`; words that are a table of the program are taken from
//! there (`word_list.rs`). That the loaders read these keys and no others is what `tests/all/schemas.rs` asks them.

mod format_schema;
mod shape_book;
mod shape_type;
mod word_list;

pub use format_schema::FormatSchema;
