//! Traces: the record of a dialogue as lines of JSON, and as a table.
//!
//! A header line a dialogue, then a line a turn, and a line that says that the dialogue is whole; keys always come in the same order, readers accept unknown ones.

mod broken_line;
mod columns;
mod end_line;
mod header;
mod input_line;
mod json_line;
mod observed_record;
mod reader;
mod record_field;
mod reported_parts;
mod table;
mod told_fields;
mod traced_dialogue;
mod traced_end;
mod traced_reasons;
mod turn_report;
mod value_sink;

pub use broken_line::broken_line;
pub use columns::aligned;
pub use end_line::EndLine;
pub use header::{HeaderLine, is_old};
pub use input_line::turn_line;
pub use json_line::JsonLine;
pub use observed_record::ObservedRecord;
pub use reader::{MAX_FAULTS, TraceReader};
pub use record_field::RecordField;
pub use reported_parts::{LostProposal, ReportedAnswer, ReportedEffect, ReportedPoint};
pub use table::{TITLES, TraceTable, input_cell, shorten, step_cell};
pub use told_fields::ToldFields;
pub use traced_dialogue::{DIALOGUE_LIMIT, TracedDialogue, TracedHeader, TracedMachine, read_json};
pub use traced_end::{TracedEnd, old_trace};
pub use traced_reasons::TracedReasons;
pub use turn_report::{Deciders, RuleMark, Step, TurnReport, WinningRules};
