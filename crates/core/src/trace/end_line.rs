//! The last line of a dialogue in a trace.

use super::json_line::JsonLine;
use crate::engine::{Sink, key};

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
            if let Some(audit) = self.audit {
                key!(out, "audit").text(audit);
            }
        });
    }
}
