//! The first and the last line of a dialogue in a trace.

use super::JsonLine;
use crate::engine::{Machine, Settings, Sink, key};
use crate::machine::Value;

/// The version of the format. It is raised when the meaning of a field changes; new fields do not raise it.
const VERSION: i64 = 2;

/// Returns the reason if traces of this version cannot be read.
pub fn check_version(version: i64) -> Result<(), String> {
    if version == VERSION {
        return Ok(());
    }
    Err(format!(
        "it is of version {version}, and this program reads version {VERSION}"
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
    /// How it starts, as written; null where nothing is.
    pub start: &'a Value,
}

impl HeaderLine<'_> {
    /// Writes the header as JSON. Keys always come in this order.
    pub fn write(&self, out: &mut JsonLine) {
        let header = &self.machine.header;
        out.object(|out| {
            key!(out, "fsmsim_trace").int(VERSION);
            key!(out, "dialogue").text(self.dialogue);
            key!(out, "machine").object(|out| {
                key!(out, "name").text(&header.name);
                key!(out, "dialect").text(header.dialect);
                key!(out, "source").text(&header.source);
                key!(out, "profile").text(self.settings.profile.name());
            });
            key!(out, "signals").text(self.settings.signals.name());
            key!(out, "seed").int(0);
            // A dialogue is one session, and has its name.
            key!(out, "session").text(self.dialogue);
            if !self.start.is_null() {
                key!(out, "start").value(self.start);
            }
        });
    }
}

/// The last line of a dialogue in a trace, which says that it is whole.
#[derive(Clone, Copy, Debug)]
pub struct EndLine<'a> {
    /// The name of the dialogue.
    pub dialogue: &'a str,
    /// How many turns it has.
    pub turns: u32,
    /// The hash of its audit, where it has one.
    pub audit: Option<&'a str>,
}

impl EndLine<'_> {
    /// Writes the line as JSON.
    pub fn write(&self, out: &mut JsonLine) {
        out.object(|out| {
            key!(out, "end").text(self.dialogue);
            key!(out, "turns").int(self.turns);
            out.optional_text(key!("audit"), self.audit);
        });
    }
}
