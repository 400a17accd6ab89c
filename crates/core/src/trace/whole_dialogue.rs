//! A dialogue of a trace on one line.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::traced_dialogue::{TracedDialogue, TracedHeader, read_header, read_json};
use super::traced_end::TracedEnd;

/// A dialogue of a trace on one line: an object of what else are its lines. Keys that are not known are passed over.
#[derive(Debug, Deserialize)]
pub(super) struct WholeDialogue<'t> {
    #[serde(borrow)]
    header: &'t RawValue,
    #[serde(borrow, default)]
    turns: Vec<&'t RawValue>,
    #[serde(borrow, default)]
    end: Option<&'t RawValue>,
}

impl WholeDialogue<'_> {
    /// Its header. The reason and the place in `line`, where it cannot be read.
    pub(super) fn header(&self, line: &str) -> Result<TracedHeader, (String, usize)> {
        let text = self.header.get();
        let start = (text.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
        read_header(text).map_err(|(reason, at)| (reason, start + at))
    }

    /// The dialogue, which stands in this line.
    pub(super) fn dialogue(&self, header: TracedHeader, line: usize) -> TracedDialogue {
        let mut dialogue = TracedDialogue::new(header, line, self.header.get());
        for turn in &self.turns {
            dialogue.push(turn.get(), line);
        }
        dialogue
    }

    /// What ends it, where something does. The reason, where that cannot be read.
    pub(super) fn end(&self) -> Result<Option<TracedEnd>, String> {
        self.end
            .map(|end| read_json(end.get()))
            .transpose()
            .map_err(|(reason, _)| reason)
    }
}
