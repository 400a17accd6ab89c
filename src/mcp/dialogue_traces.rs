//! The traces of the dialogues of a server.

use std::io;
use std::sync::{Mutex, PoisonError};

use super::trace_file::TraceFile;
use crate::http::log;
use crate::machine::Value;
use crate::runtime::DialogueRunner;
use crate::trace::{EndLine, HeaderLine, JsonLine};

/// The traces of the dialogues of a server. One that cannot be written does not keep dialogues from going on, but it is told, and
/// remembered.
#[derive(Debug)]
pub(super) struct DialogueTraces {
    file: Mutex<Option<TraceFile>>,
    error: Mutex<Option<io::Error>>,
}

impl DialogueTraces {
    /// Traces that go there; nothing where nobody wants any.
    pub(super) fn new(file: Option<TraceFile>) -> Self {
        Self { file: Mutex::new(file), error: Mutex::default() }
    }

    /// A dialogue has begun, in this way.
    pub(super) fn begin(&self, id: &str, dialogue: &DialogueRunner, start: &Value) {
        let mut header = JsonLine::default();
        HeaderLine { dialogue: id, machine: dialogue.machine(), settings: dialogue.settings(), start }
            .write(&mut header);
        self.write(id, &header.into_string());
    }

    /// A dialogue goes on that a server before this one has left: what stands there of it is written anew.
    pub(super) fn forget(&self, id: &str) {
        self.with(|trace| trace.forget(id));
    }

    /// A turn was played.
    pub(super) fn write(&self, id: &str, line: &str) {
        self.with(|trace| trace.write(id, line));
    }

    /// A dialogue has ended after so many turns: it is whole in the trace.
    pub(super) fn end(&self, id: &str, turns: u32) {
        let mut line = JsonLine::default();
        EndLine { dialogue: id, turns, audit: None }.write(&mut line);
        let line = line.into_string();
        self.with(|trace| {
            trace.write(id, &line)?;
            trace.end(&[id.to_owned()])
        });
    }

    /// Why they could not be written.
    ///
    /// # Errors
    /// That.
    pub(super) fn close(&self) -> io::Result<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn with(&self, act: impl FnOnce(&mut TraceFile) -> io::Result<()>) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.as_mut().map_or(Ok(()), act) {
            log(&format!("error: the trace cannot be written: {error}"));
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}
