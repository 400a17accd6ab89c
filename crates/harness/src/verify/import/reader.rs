//! Reads recorded traces dialogue by dialogue: of this program, or, with a map, of an external system.

use std::io::BufRead;
use std::sync::Arc;

use super::foreign_lines::ForeignLines;
use super::map::TraceMap;
use super::observed_text::ObservedText;
use fsmsim_core::trace::TraceReader;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Reads a recorded trace. Only one dialogue is in memory at a time, plus the names of the earlier ones. If dialogues are
/// interleaved, all open dialogues are in memory.
pub struct ObservedReader<R> {
    lines: LineSource<R>,
    /// The input is a part of a trace: it may be empty, and it may lack values that other parts have.
    pub is_part: bool,
}

enum LineSource<R> {
    Ours(Box<TraceReader<R>>),
    Theirs(Box<ForeignLines<R>>),
}

impl<R: BufRead> ObservedReader<R> {
    /// Reads a stream with the name `name` in findings; without a map it is a trace of this program.
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

    /// Reads a stream with interleaved dialogues. `held` is the maximum number of lines to hold.
    pub fn grouping(input: R, name: &str, map: TraceMap, held: usize) -> Self {
        let lines = LineSource::Theirs(Box::new(ForeignLines::new(input, name, map, Some(held))));
        Self {
            lines,
            is_part: false,
        }
    }

    /// The name of the stream in findings.
    pub fn name(&self) -> &str {
        match &self.lines {
            LineSource::Ours(reader) => reader.name(),
            LineSource::Theirs(foreign) => foreign.lines.name(),
        }
    }

    /// The next dialogue. Returns `None` at the end, and, with findings, if the trace cannot be read further.
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

    /// The locations of the fields; `None` for a trace of this program.
    pub fn map(&self) -> Option<Arc<TraceMap>> {
        match &self.lines {
            LineSource::Ours(_) => None,
            LineSource::Theirs(foreign) => Some(Arc::clone(&foreign.map)),
        }
    }

    pub fn input(&self) -> &R {
        match &self.lines {
            LineSource::Ours(reader) => reader.input(),
            LineSource::Theirs(foreign) => foreign.lines.input(),
        }
    }
}
