//! Reads recorded traces, dialogue by dialogue: our own, or with a map those of another system.

use std::io::BufRead;
use std::sync::Arc;

use super::foreign_lines::ForeignLines;
use super::map::TraceMap;
use super::observed_text::ObservedText;
use fsmsim_core::trace::TraceReader;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Reads a trace that was recorded somewhere. Only one dialogue is in memory at a time, besides the names of those before
/// it; where dialogues are mixed, all that are not over.
pub struct ObservedReader<R> {
    lines: LineSource<R>,
    /// What it reads is a part of a trace: there may be nothing in it, and not all that there is in the whole.
    pub is_part: bool,
}

enum LineSource<R> {
    Ours(Box<TraceReader<R>>),
    Theirs(Box<ForeignLines<R>>),
}

impl<R: BufRead> ObservedReader<R> {
    /// A reader of a stream that findings call `name`; without a map it is a trace of ours.
    pub fn new(input: R, name: &str, map: Option<TraceMap>) -> Self {
        let lines = match map {
            None => LineSource::Ours(Box::new(TraceReader::new(input, name))),
            Some(map) => LineSource::Theirs(Box::new(ForeignLines::new(input, name, map, None))),
        };
        Self {
            lines,
            is_part: false,
        }
    }

    /// A reader of a stream in which the lines of dialogues are mixed; at most so many lines are held.
    pub fn grouping(input: R, name: &str, map: TraceMap, held: usize) -> Self {
        let lines = LineSource::Theirs(Box::new(ForeignLines::new(input, name, map, Some(held))));
        Self {
            lines,
            is_part: false,
        }
    }

    /// What findings call the stream.
    pub fn name(&self) -> &str {
        match &self.lines {
            LineSource::Ours(reader) => reader.name(),
            LineSource::Theirs(foreign) => foreign.lines.name(),
        }
    }

    /// The next dialogue; `None` behind the last one, and, with findings, where the trace cannot be read on.
    pub fn read(
        &mut self,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedText> {
        match &mut self.lines {
            LineSource::Ours(reader) => reader.read(found, sources).map(ObservedText::of),
            LineSource::Theirs(foreign) => foreign.read(found, sources),
        }
    }

    /// Where the fields are, unless it is a trace of ours.
    pub fn map(&self) -> Option<Arc<TraceMap>> {
        match &self.lines {
            LineSource::Ours(_) => None,
            LineSource::Theirs(foreign) => Some(Arc::clone(&foreign.map)),
        }
    }

    /// The stream itself.
    pub fn input(&self) -> &R {
        match &self.lines {
            LineSource::Ours(reader) => reader.input(),
            LineSource::Theirs(foreign) => foreign.lines.input(),
        }
    }
}
