//! The first line of a dialogue in a trace.

use super::json_line::JsonLine;
use crate::machine::{Machine, Settings, Value};

/// The version of the format. It is raised when the meaning of a field changes; new fields do not raise it.
pub const VERSION: i64 = 1;

/// The first line of a dialogue in a trace.
#[derive(Clone, Copy, Debug)]
pub struct HeaderLine<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// How it starts, as written; null where nothing is.
    pub start: &'a Value,
}

impl HeaderLine<'_> {
    /// Writes the header as JSON. Keys always come in this order.
    pub fn write(&self, out: &mut JsonLine) {
        let header = &self.machine.header;
        out.raw("{\"fsmsim_trace\":");
        out.int(VERSION);
        out.raw(",\"dialogue\":");
        out.text(self.dialogue);
        out.raw(",\"machine\":{\"name\":");
        out.text(&header.name);
        out.raw(",\"dialect\":");
        out.text(header.dialect);
        out.raw(",\"source\":");
        out.text(&header.source);
        out.raw(",\"profile\":");
        out.text(self.settings.profile.name());
        out.raw("},\"signals\":");
        out.text(self.settings.signals.name());
        out.raw(",\"seed\":0");
        if !self.start.is_null() {
            out.raw(",\"start\":");
            out.value(self.start);
        }
        out.raw("}");
    }
}
