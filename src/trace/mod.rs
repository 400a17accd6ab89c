//! Traces: the record of a dialogue as lines of JSON, and as a table.
//!
//! A header line a dialogue, then a line a turn; keys always come in the same order, readers accept unknown ones.

mod columns;
mod effect;
mod field;
mod header;
mod input_line;
mod json_line;
mod table;
mod turn_line;

pub use columns::aligned;
pub use field::Field;
pub use header::{HeaderLine, VERSION};
pub use json_line::JsonLine;
pub use table::Table;
pub use turn_line::{RulePlace, TurnLine};
