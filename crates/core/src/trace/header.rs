//! The first and the last line of a dialogue in a trace.

use super::JsonLine;
use crate::engine::{Machine, Settings, Sink, key, pairs};
use crate::machine::Value;

/// The version of the format. It increases when the meaning of a field changes, but not for new fields.
pub const TRACE_VERSION: i64 = 3;

/// The version of the recognizer by examples. It increases when the same examples can lead to another interpretation.
const RECOGNIZER: i64 = 1;

/// Returns an error with the reason if traces of this version cannot be read.
pub fn check_version(version: i64) -> Result<(), String> {
    if version == TRACE_VERSION {
        return Ok(());
    }
    Err(format!(
        "unsupported version {version}, expected {TRACE_VERSION}"
    ))
}

/// The first line of a dialogue in a trace.
#[derive(Clone, Copy, Debug)]
pub struct HeaderLine<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    /// The start of the dialogue as written; null if it has none.
    pub start: &'a Value,
}

impl HeaderLine<'_> {
    /// Writes the header as JSON. Keys always have this order.
    pub fn write(&self, out: &mut JsonLine) {
        let header = &self.machine.header;
        out.object(|out| {
            pairs!(
                out,
                fsmsim_trace = int(TRACE_VERSION),
                dialogue = text(self.dialogue),
                machine = object(|out| {
                    pairs!(
                        out,
                        name = text(&header.name),
                        dialect = text(header.dialect),
                        source = text(&header.source),
                        profile = text(self.settings.profile.name()),
                    );
                }),
                signals = text(self.settings.signals.name()),
                recognizer = int(RECOGNIZER),
                seed = int(0),
            );
            // A dialogue is one session, so both have the same name.
            key!(out, "session").text(self.dialogue);
            if !self.start.is_null() {
                key!(out, "start").value(self.start);
            }
        });
    }
}

/// The last line of a dialogue in a trace. It marks the dialogue as complete.
#[derive(Clone, Copy, Debug)]
pub struct EndLine<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    /// The number of turns.
    pub turns: u32,
    /// The hash of the audit, if the dialogue has one.
    pub audit: Option<&'a str>,
}

impl EndLine<'_> {
    /// Writes the line as JSON.
    pub fn write(&self, out: &mut JsonLine) {
        out.object(|out| {
            pairs!(out, end = text(self.dialogue), turns = int(self.turns));
            out.optional_text(key!("audit"), self.audit);
        });
    }
}
