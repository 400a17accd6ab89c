//! Reads recorded traces, dialogue by dialogue. Traces of external systems require a map of the fields.

use std::io::BufRead;
use std::sync::Arc;

use super::foreign_lines::ForeignLines;
use super::map::TraceMap;
use super::observed_text::ObservedText;
use fsmsim_core::trace::TraceReader;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::LineReader;

/// Reads a recorded trace. Keeps only one dialogue in memory at a time, plus the names of earlier dialogues. If
/// dialogues are interleaved, all open dialogues are in memory.
pub struct ObservedReader<R> {
    lines: LineSource<R>,
}

enum LineSource<R> {
    Ours(Box<TraceReader<R>>),
    Theirs(Box<ForeignLines<R>>),
}

impl<R: BufRead> ObservedReader<R> {
    /// Reads a stream that is called `name` in findings. Without a map, it must be a trace of this program.
    pub fn new(input: R, name: &str, map: Option<Arc<TraceMap>>) -> Self {
        let lines = match map {
            None => LineSource::Ours(Box::new(TraceReader::new(input, name))),
            Some(map) => LineSource::Theirs(Box::new(ForeignLines::new(input, name, map, None))),
        };
        Self { lines }
    }

    /// Reads a stream with interleaved dialogues. At most `held` lines are held.
    pub fn grouping(input: R, name: &str, map: Arc<TraceMap>, held: usize) -> Self {
        let lines = LineSource::Theirs(Box::new(ForeignLines::new(input, name, map, Some(held))));
        Self { lines }
    }

    /// The name of the stream in findings.
    pub fn name(&self) -> &str {
        match &self.lines {
            LineSource::Ours(reader) => reader.name(),
            LineSource::Theirs(foreign) => foreign.lines.lines.name(),
        }
    }

    /// The next dialogue. Returns `None` at the end or, with findings, if the rest of the trace cannot be read.
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

    /// The lines of the stream.
    pub fn lines(&mut self) -> &mut LineReader<R> {
        match &mut self.lines {
            LineSource::Ours(reader) => reader.lines(),
            LineSource::Theirs(foreign) => &mut foreign.lines.lines,
        }
    }
}
