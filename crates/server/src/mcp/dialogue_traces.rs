//! Traces of a server's dialogues.

use std::collections::BTreeMap;
use std::io;

use super::trace_file::TraceFile;
use crate::http::log;
use crate::limits::MAX_UNWRITTEN_TRACE;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::threads::Mutex;

/// Traces of a server's dialogues. A write error does not stop dialogues: the missing lines are kept in memory and
/// written later.
#[derive(Debug)]
pub(super) struct DialogueTraces {
    open: Mutex<Option<OpenTraces>>,
}

/// The state of the traces if they are enabled.
#[derive(Debug)]
struct OpenTraces {
    file: TraceFile,
    /// Unwritten lines, by dialogue.
    unwritten: BTreeMap<String, UnwrittenLines>,
    /// The last write error.
    error: Option<io::Error>,
    /// The number of dialogues with too many unwritten lines.
    lost: usize,
}

/// The unwritten lines of a dialogue.
#[derive(Debug, Default)]
struct UnwrittenLines {
    /// Whether the lines that are already in the file must be replaced.
    is_replaced: bool,
    lines: String,
    /// Whether the dialogue has ended.
    is_whole: bool,
    /// Whether lines were dropped: a dialogue with a gap is invalid, so none of it is written.
    is_lost: bool,
}

impl DialogueTraces {
    /// Writes traces to a file; `None` if traces are disabled.
    pub(super) fn new(file: Option<TraceFile>) -> Self {
        let open = file.map(|file| OpenTraces {
            file,
            unwritten: BTreeMap::new(),
            error: None,
            lost: 0,
        });
        Self {
            open: Mutex::new(open),
        }
    }

    /// Writes the header of a dialogue that starts.
    pub(super) fn begin(&self, id: &str, dialogue: &DialogueRunner, start: &Value) {
        let mut header = JsonLine::default();
        HeaderLine {
            dialogue: id,
            machine: dialogue.machine(),
            settings: dialogue.settings(),
            start,
        }
        .write(&mut header);
        self.add(id, |new| new.push(&header.into_string()));
    }

    /// Discards the existing lines of a resumed dialogue: all of them are written again.
    pub(super) fn forget(&self, id: &str) {
        self.add(id, |new| new.is_replaced = true);
    }

    /// Writes a turn.
    pub(super) fn write(&self, id: &str, line: &str) {
        self.add(id, |new| new.push(line));
    }

    /// Writes the end of a dialogue.
    pub(super) fn end(&self, id: &str, turns: u32) {
        let mut line = JsonLine::default();
        EndLine {
            dialogue: id,
            turns,
            audit: None,
        }
        .write(&mut line);
        self.add(id, |new| {
            new.push(&line.into_string());
            new.is_whole = true;
        });
    }

    /// Retries after a write error.
    pub(super) fn catch_up(&self) {
        if let Some(open) = self
            .open
            .lock()
            .as_mut()
            .filter(|open| open.error.is_some())
        {
            open.flush();
        }
    }

    /// Writes the remaining lines. Returns the last error.
    pub(super) fn close(&self) -> io::Result<()> {
        let mut open = self.open.lock();
        let Some(open) = open.as_mut() else {
            return Ok(());
        };
        open.flush();
        match open.error.take() {
            Some(error) => Err(error),
            None if open.lost > 0 => Err(io::Error::other(format!(
                "dialogues missing from the trace: {}",
                open.lost
            ))),
            None => Ok(()),
        }
    }

    fn add(&self, id: &str, add: impl FnOnce(&mut UnwrittenLines)) {
        let mut open = self.open.lock();
        let Some(open) = open.as_mut() else { return };
        add(open.unwritten.entry(id.to_owned()).or_default());
        // After an error, writing is retried periodically, not for each line of each dialogue.
        if open.error.is_none() {
            open.flush();
        } else {
            open.keep(id);
        }
    }
}

impl OpenTraces {
    fn flush(&mut self) {
        let file = &mut self.file;
        let mut failed = None;
        self.unwritten
            .retain(|id, left| match left.write(id, file) {
                Ok(()) => left.is_lost && !left.is_whole,
                Err(error) => {
                    failed.get_or_insert(error);
                    true
                }
            });
        match (failed, &self.error) {
            (Some(error), None) => {
                log(&format!(
                    "error: cannot write the trace: {error}; the missing lines are stored in memory and written later"
                ));
                self.error = Some(error);
            }
            (None, Some(_)) => {
                log("the trace is writable again; all stored lines are written");
                self.error = None;
            }
            _ => {}
        }
    }

    /// Checks the memory limit for unwritten lines. Above it, the lines of this dialogue are dropped.
    fn keep(&mut self, id: &str) {
        let kept: usize = self.unwritten.values().map(|left| left.lines.len()).sum();
        let Some(left) = self
            .unwritten
            .get_mut(id)
            .filter(|left| kept > MAX_UNWRITTEN_TRACE && !left.is_lost)
        else {
            return;
        };
        *left = UnwrittenLines {
            is_replaced: true,
            is_lost: true,
            is_whole: left.is_whole,
            lines: String::new(),
        };
        self.lost += 1;
        log(&format!(
            "error: session {id}: too many unwritten lines; the dialogue is omitted from the trace"
        ));
    }
}

impl UnwrittenLines {
    fn push(&mut self, line: &str) {
        if !self.is_lost {
            self.lines.extend([line, "\n"]);
        }
    }

    fn write(&mut self, id: &str, file: &mut TraceFile) -> io::Result<()> {
        if self.is_replaced {
            file.forget(id)?;
            self.is_replaced = false;
        }
        if !self.lines.is_empty() {
            file.write(id, &self.lines)?;
            self.lines.clear();
        }
        if self.is_whole { file.end(id) } else { Ok(()) }
    }
}
