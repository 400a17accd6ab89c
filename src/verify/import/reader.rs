//! Reads recorded traces, dialogue by dialogue: our own, or with a map those of another system.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use super::find_first::find_first;
use super::map::TraceMap;
use super::observed_text::{ObservedText, THEIRS};
use crate::diagnostic::{Code, Diagnostics, SourceMap};
use crate::document::LineReader;
use crate::trace::{DIALOGUE_LIMIT, TraceReader, broken_line, read_json};

/// Lines that cannot be read, after which the rest of a trace is not read: it is something else.
const MAX_FAULTS: usize = 20;

/// Reads a trace that was recorded somewhere. Only one dialogue is in memory at a time, besides the names of those before
/// it.
pub struct ObservedReader<R> {
    lines: LineSource<R>,
}

enum LineSource<R> {
    Ours(Box<TraceReader<R>>),
    Theirs(Box<ForeignLines<R>>),
}

/// The lines of another system.
struct ForeignLines<R> {
    lines: LineReader<R>,
    map: Arc<TraceMap>,
    /// The dialogues so far, with the lines where they begin.
    seen: BTreeMap<String, usize>,
    /// The dialogue whose first line was read last.
    next: Option<ObservedText>,
    ended: bool,
    faults: usize,
    /// Lines before the next one could not be read.
    in_gap: bool,
}

impl<R: BufRead> ObservedReader<R> {
    /// A reader of a stream that findings call `name`; without a map it is a trace of ours.
    pub fn new(input: R, name: &str, map: Option<TraceMap>) -> Self {
        let lines = match map {
            None => LineSource::Ours(Box::new(TraceReader::new(input, name))),
            Some(map) => LineSource::Theirs(Box::new(ForeignLines {
                lines: LineReader::new(input, name, DIALOGUE_LIMIT),
                map: Arc::new(map),
                seen: BTreeMap::new(),
                next: None,
                ended: false,
                faults: 0,
                in_gap: false,
            })),
        };
        Self { lines }
    }

    /// What findings call the stream.
    pub fn name(&self) -> &str {
        match &self.lines {
            LineSource::Ours(reader) => reader.name(),
            LineSource::Theirs(foreign) => foreign.lines.name(),
        }
    }

    /// The next dialogue; `None` behind the last one, and, with findings, where the trace cannot be read on.
    pub fn read(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<ObservedText> {
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

impl<R: BufRead> ForeignLines<R> {
    fn read(&mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> Option<ObservedText> {
        while !self.ended {
            let name = self.lines.name().to_owned();
            let (line, text) = match self.lines.read() {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(finding) => {
                    self.faults += 1;
                    self.in_gap = true;
                    // What follows a line that is no text may be read; what follows another fault may not.
                    self.ended = finding.code != Code::NotUtf8 || self.faults >= MAX_FAULTS;
                    found.push(*finding);
                    continue;
                }
            };
            let mut refuse = |reason: &str, at: usize| {
                self.faults += 1;
                self.ended = self.faults >= MAX_FAULTS;
                found.push(broken_line(reason, at, text, line, &name, THEIRS, sources));
            };
            let path = &self.map.dialogue;
            // Where a line is a whole dialogue, nothing of it is missing.
            let is_behind_gap = self.in_gap && self.map.turns.is_none();
            let Some(id) = find_first(text, &path.steps) else {
                self.in_gap = true;
                match read_json::<serde::de::IgnoredAny>(text) {
                    Ok(_) => refuse(&format!("it has no `{}`, the name of its dialogue", path.text), 0),
                    Err((reason, at)) => refuse(&reason, at),
                }
                continue;
            };
            if self.map.turns.is_none()
                && let Some(next) = self.next.as_mut().filter(|next| next.name() == id)
            {
                if next.bytes() + text.len() > DIALOGUE_LIMIT {
                    refuse(&format!("the dialogue `{id}` has more than {} MiB", DIALOGUE_LIMIT >> 20), 0);
                    self.ended = true;
                    self.next = None;
                } else if is_behind_gap {
                    self.in_gap = false;
                    next.push_behind_gap(text, line);
                } else {
                    next.push(text, line);
                }
                continue;
            }
            if let Some(first) = self.seen.get(&id) {
                let why = format!("the dialogue `{id}` is there already, from line {first} on");
                let sort = "the lines of a dialogue stand together: sort them by dialogue, and leave their order else";
                refuse(&format!("{why}; {sort}"), 0);
                continue;
            }
            self.seen.insert(id.clone(), line);
            let mut next = ObservedText::new(id, line);
            if is_behind_gap {
                self.in_gap = false;
                next.push_behind_gap(text, line);
            } else {
                next.push(text, line);
            }
            if let Some(before) = self.next.replace(next) {
                return Some(before);
            }
        }
        self.next.take()
    }
}
