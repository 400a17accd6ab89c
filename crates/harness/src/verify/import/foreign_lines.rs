//! Reads lines from an external system, dialogue by dialogue.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use super::log_lines::{LogEntry, LogLines};
use super::map::TraceMap;
use super::observed_text::{ObservedText, THEIRS};
use super::open_dialogues::OpenDialogues;
use crate::limits::MAX_SORTED_LINES;
use fsmsim_core::trace::{MAX_FAULTS, MAX_TRACE_DIALOGUE_BYTES, broken_line};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};

/// The lines from an external system.
pub(super) struct ForeignLines<R> {
    pub lines: LogLines<R>,
    pub map: Arc<TraceMap>,
    /// The dialogues seen so far, each with its first line.
    seen: BTreeMap<String, usize>,
    held: OpenDialogues,
    ended: bool,
    faults: usize,
    /// The last unreadable line.
    gap: usize,
}

impl<R: BufRead> ForeignLines<R> {
    /// Reads a stream that is called `name` in findings. If `held` is set, dialogues may be interleaved, and at most
    /// this number of lines is held. Turns that are sorted may always be interleaved.
    pub(super) fn new(input: R, name: &str, map: Arc<TraceMap>, held: Option<usize>) -> Self {
        let is_sorted = map.sorts() && !map.is_of_dialogues();
        let held = held.or_else(|| is_sorted.then_some(MAX_SORTED_LINES));
        Self {
            lines: LogLines::new(input, name),
            map,
            seen: BTreeMap::new(),
            held: OpenDialogues::new(held),
            ended: false,
            faults: 0,
            gap: 0,
        }
    }

    /// The next dialogue. Returns `None` at the end or, with findings, if the rest of the trace cannot be read.
    pub(super) fn read(
        &mut self,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<ObservedText> {
        while !self.ended {
            let line = match self.lines.read(&self.map) {
                Ok(Some(line)) => line,
                Ok(None) if self.lines.lines.waits => return None,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(finding) => {
                    self.faults += 1;
                    self.gap = self.lines.lines.number();
                    // Reading can continue after a line that is not valid UTF-8, but not after other errors.
                    self.ended = finding.code != Code::NotUtf8 || self.faults >= MAX_FAULTS;
                    found.push(*finding);
                    continue;
                }
            };
            match self.take(&line) {
                Ok(Some(dialogue)) => return Some(dialogue),
                Ok(None) => {}
                Err(LineFault::Broken(reason, at)) => {
                    let (name, LogEntry { number, text }) = (self.lines.lines.name(), &line);
                    self.faults += 1;
                    self.ended |= self.faults >= MAX_FAULTS;
                    found.push(broken_line(
                        &reason, at, text, *number, name, THEIRS, sources,
                    ));
                }
                Err(LineFault::Crowded) => {
                    found.push(self.crowded(line.number));
                    self.held.clear();
                    self.ended = true;
                }
            }
        }
        self.held.take_first()
    }

    /// Adds a line to its dialogue. Returns a dialogue if one is now complete.
    fn take(&mut self, line: &LogEntry) -> Result<Option<ObservedText>, LineFault> {
        let LogEntry { number, text } = line;
        let name = match self.map.dialogue_in(text, *number) {
            Ok(Some(name)) => name,
            Ok(None) => return Ok(None),
            Err((reason, at)) => {
                self.gap = *number;
                return Err(LineFault::Broken(reason, at));
            }
        };
        if self.map.list().is_some() {
            self.begin(&name, *number)?;
            // A line that is a complete dialogue cannot have gaps.
            self.held.push(&name, text, *number, false);
            return Ok(self.held.take(&name));
        }
        if !self.held.fits(text.len()) {
            return Err(LineFault::Crowded);
        }
        let (before, last) = match self.held.get(&name) {
            Some(dialogue) if dialogue.bytes() + text.len() > MAX_TRACE_DIALOGUE_BYTES => {
                self.ended = true;
                self.held.take(&name);
                let reason = format!(
                    "the dialogue `{name}` is too large: limit {} MiB",
                    MAX_TRACE_DIALOGUE_BYTES >> 20
                );
                return Err(LineFault::Broken(reason, 0));
            }
            Some(dialogue) => (None, dialogue.last_line()),
            None => {
                self.begin(&name, *number)?;
                (
                    if self.held.are_mixed() {
                        None
                    } else {
                        self.held.take_first()
                    },
                    0,
                )
            }
        };
        // Unreadable lines since then might belong to this dialogue, even if it is new.
        let since = before.as_ref().map_or(last, ObservedText::last_line);
        self.held.push(&name, text, *number, self.gap > since);
        if self.held.are_mixed() && !self.map.sorts() && self.map.is_end(text, *number) {
            return Ok(self.held.take(&name));
        }
        Ok(before)
    }

    /// Registers a new dialogue with this name.
    fn begin(&mut self, name: &str, line: usize) -> Result<(), LineFault> {
        let Some(first) = self.seen.get(name) else {
            self.seen.insert(name.to_owned(), line);
            return Ok(());
        };
        let there = format!("the dialogue `{name}` already starts at line {first}");
        Err(LineFault::Broken(
            if self.held.are_mixed() {
                format!("{there} and has ended")
            } else if self.map.list().is_some() {
                there
            } else {
                format!(
                    "{there}; its lines must be consecutive: use `--group`, or sort the lines by dialogue with a stable sort"
                )
            },
            0,
        ))
    }

    /// The finding about too many buffered lines.
    fn crowded(&self, line: usize) -> Diagnostic {
        let (dialogues, lines) = self.held.counts();
        Diagnostic::error(Code::GroupLimit, format!(
            "too many buffered lines at line {line}: {lines} (unfinished dialogues: {dialogues})"
        ))
            .about(format!("{}:{line}", self.lines.lines.name()))
            .help("sort the lines by dialogue with a stable sort, and omit `--group`")
            .note("`end: PATH` in the map releases dialogues that have ended; `--group=LINES` sets the limit")
    }
}

/// Why a line could not be added to a dialogue.
enum LineFault {
    /// The line is invalid, for this reason and at this position in the line.
    Broken(String, usize),
    /// The limit of buffered lines was reached.
    Crowded,
}
