//! Traces: the record of a dialogue as lines of JSON, and as a table.
//!
//! A header line a dialogue, then a line a turn; keys always come in the same order, readers accept unknown ones.

mod columns;
mod contract_line;
pub mod diff;
mod effect;
mod fault;
mod field;
mod header;
mod input_line;
mod json_line;
pub mod observed;
mod reader;
mod seen;
mod table;
mod traced_dialogue;
mod traced_turn;
mod turn_line;

pub use columns::aligned;
pub use field::Field;
pub use header::{HeaderLine, VERSION};
pub use json_line::JsonLine;
pub use reader::TraceReader;
pub use seen::Seen;
pub use table::{TITLES, Table, shorten};
pub use traced_dialogue::{TracedDialogue, TracedHeader, TracedMachine};
pub use traced_turn::{Deciders, RuleMark, Step, TracedTurn, WinningRules};
pub use turn_line::{RulePlace, TurnLine};
