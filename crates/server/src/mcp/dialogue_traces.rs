//! The traces of the dialogues of a server.

use std::collections::BTreeMap;
use std::io;

use super::trace_file::TraceFile;
use crate::http::log;
use crate::limits::MAX_UNWRITTEN_TRACE;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::threads::Mutex;

/// The traces of the dialogues of a server. One that cannot be written does not keep dialogues from going on: what is missing is
/// kept, and written as soon as it can be.
#[derive(Debug)]
pub(super) struct DialogueTraces {
    open: Mutex<Option<OpenTraces>>,
}

/// Traces that somebody wants.
#[derive(Debug)]
struct OpenTraces {
    file: TraceFile,
    /// What is not written yet, by dialogue.
    unwritten: BTreeMap<String, UnwrittenLines>,
    /// Why it could not be written.
    error: Option<io::Error>,
    /// Dialogues of which there was too much to keep.
    lost: usize,
}

/// What is not written yet of a dialogue.
#[derive(Debug, Default)]
struct UnwrittenLines {
    /// What is there already is not wanted any more.
    is_anew: bool,
    lines: String,
    /// The dialogue has ended.
    is_whole: bool,
    /// There was too much of it: a dialogue with a gap would be none.
    is_lost: bool,
}

impl DialogueTraces {
    /// Traces that go there; nothing where nobody wants any.
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

    /// A dialogue has begun, in this way.
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

    /// A dialogue goes on that a server before this one has left: what stands there of it is written anew.
    pub(super) fn forget(&self, id: &str) {
        self.add(id, |new| new.is_anew = true);
    }

    /// A turn was played.
    pub(super) fn write(&self, id: &str, line: &str) {
        self.add(id, |new| new.push(line));
    }

    /// A dialogue has ended after so many turns: it is whole in the trace.
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

    /// Writes what could not be written before.
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

    /// Why they could not be written.
    pub(super) fn close(&self) -> io::Result<()> {
        let mut open = self.open.lock();
        let Some(open) = open.as_mut() else {
            return Ok(());
        };
        open.flush();
        match open.error.take() {
            Some(error) => Err(error),
            None if open.lost > 0 => Err(io::Error::other(format!(
                "dialogues are not in the trace: {}",
                open.lost
            ))),
            None => Ok(()),
        }
    }

    fn add(&self, id: &str, add: impl FnOnce(&mut UnwrittenLines)) {
        let mut open = self.open.lock();
        let Some(open) = open.as_mut() else { return };
        add(open.unwritten.entry(id.to_owned()).or_default());
        // What cannot be written is tried again in a while, not with each line of each dialogue.
        if open.error.is_none() {
            open.flush();
        } else {
            open.keep(id);
        }
    }
}

impl OpenTraces {
    fn flush(&mut self) {
        let (file, mut failed) = (&mut self.file, None);
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
                    "error: the trace cannot be written: {error}; what is missing is kept, and tried again"
                ));
                self.error = Some(error);
            }
            (None, Some(_)) => {
                log("the trace can be written again, and nothing is missing that was kept");
                self.error = None;
            }
            _ => {}
        }
    }

    /// Keeps what cannot be written now, as long as there is not too much of it.
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
            is_anew: true,
            is_lost: true,
            is_whole: left.is_whole,
            lines: String::new(),
        };
        self.lost += 1;
        log(&format!(
            "error: session {id}: there is too much of it to keep, and it will not be in the trace"
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
        if self.is_anew {
            file.forget(id)?;
            self.is_anew = false;
        }
        if !self.lines.is_empty() {
            file.write(id, &self.lines)?;
            self.lines.clear();
        }
        if self.is_whole { file.end(id) } else { Ok(()) }
    }
}
