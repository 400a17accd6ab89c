//! Traces: the record of a dialogue in JSON Lines, and as a table.
//!
//! Each dialogue has one header line, one line per turn and one end line. Keys always have the same order; readers
//! ignore unknown keys.

mod header;
mod input_line;
mod interpretation;
mod json_line;
mod observed_record;
mod reader;
mod record_field;
mod table;
mod traced_dialogue;
mod turn_report;
mod value_sink;

pub use crate::limits::{MAX_FAULTS, MAX_TRACE_DIALOGUE_BYTES};
pub use header::{EndLine, HeaderLine, TRACE_VERSION, check_version};
pub use input_line::turn_line;
pub use json_line::JsonLine;
pub use observed_record::{ObservedRecord, RecordedFields};
pub use reader::TraceReader;
pub use record_field::RecordField;
pub use table::{TITLES, TraceTable, aligned, input_cell, shorten, step_cell};
pub use traced_dialogue::{
    TracedDialogue, TracedEnd, TracedHeader, TracedMachine, broken_line, read_header, read_json,
};
pub use turn_report::{
    Deciders, LostProposal, ReportedAnswer, ReportedEffect, ReportedPoint, Step, TracedReasons,
    TurnReport,
};
