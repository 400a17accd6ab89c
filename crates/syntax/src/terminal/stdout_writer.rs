//! Standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use super::escaping_writer::{Escaping, EscapingWriter};

/// The size of the output buffer, in bytes.
const BUFFER_SIZE: usize = 1 << 16;

/// A lock on standard output for the code that writes results.
#[derive(Debug)]
pub struct StdoutWriter {
    out: BufWriter<EscapingWriter<Tap>>,
}

/// The unbuffered standard output.
#[derive(Debug)]
struct Tap {
    out: StdoutLock<'static>,
    /// Whether the run continues after the reader closes the pipe, because the command does more than write.
    ignores_closed_pipe: bool,
    is_closed: bool,
}

/// Standard output for a command that reports a verdict. If the reader closes the pipe, the rest of the output is
/// dropped and the exit code does not change.
pub fn results(escaping: Escaping) -> StdoutWriter {
    outlet(escaping, true)
}

/// Standard output for a command that only writes results. It fails with `BrokenPipe` if the reader closes the pipe.
pub fn stream(escaping: Escaping) -> StdoutWriter {
    outlet(escaping, false)
}

fn outlet(escaping: Escaping, ignores_closed_pipe: bool) -> StdoutWriter {
    let tap = Tap {
        out: io::stdout().lock(),
        ignores_closed_pipe,
        is_closed: false,
    };
    StdoutWriter {
        out: BufWriter::with_capacity(BUFFER_SIZE, EscapingWriter::new(tap, escaping)),
    }
}

/// Writes a message to standard error. Ignores a closed standard error.
pub fn print_message(text: &str) {
    let _ = say(text, Escaping::Plain);
}

/// Writes a message that already contains colors to standard error.
pub fn print_styled(text: &str) {
    let _ = say(text, Escaping::Styled);
}

fn say(text: &str, escaping: Escaping) -> io::Result<()> {
    // One write per message keeps the lines of several threads apart.
    let mut shielded = EscapingWriter::new(Vec::with_capacity(text.len()), escaping);
    shielded.write_all(text.as_bytes())?;
    shielded.flush()?;
    io::stderr().write_all(shielded.inner())
}

impl Write for StdoutWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Tap {
    fn unless_closed<T>(&mut self, done: io::Result<T>, dropped: T) -> io::Result<T> {
        match done {
            Err(error) if self.ignores_closed_pipe && error.kind() == ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            done => done,
        }
    }
}

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let done = self.out.write(bytes);
        self.unless_closed(done, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_closed {
            return Ok(());
        }
        let done = self.out.flush();
        self.unless_closed(done, ())
    }
}
