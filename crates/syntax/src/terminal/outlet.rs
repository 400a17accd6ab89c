//! Standard output and standard error.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};

use super::shield::{Escaping, Shield};

/// How much is gathered before it is written, in bytes.
const ROOM: usize = 1 << 16;

/// Standard output, held by whoever writes results.
#[derive(Debug)]
pub struct Outlet {
    out: BufWriter<Shield<Tap>>,
}

/// Standard output itself.
#[derive(Debug)]
struct Tap {
    out: StdoutLock<'static>,
    /// Whether there is more to a run than what it writes, so that it goes on when nobody reads any more.
    goes_on: bool,
    is_closed: bool,
}

/// Standard output for a command that comes to a verdict: when whoever reads has seen enough, the rest is dropped, and
/// the exit code is what it would have been.
pub fn results(escaping: Escaping) -> Outlet {
    outlet(escaping, true)
}

/// Standard output for a command whose results are all that it does: it ends with `BrokenPipe` when whoever reads has
/// seen enough.
pub fn stream(escaping: Escaping) -> Outlet {
    outlet(escaping, false)
}

fn outlet(escaping: Escaping, goes_on: bool) -> Outlet {
    let tap = Tap {
        out: io::stdout().lock(),
        goes_on,
        is_closed: false,
    };
    Outlet {
        out: BufWriter::with_capacity(ROOM, Shield::new(tap, escaping)),
    }
}

/// Says something on standard error. Where that is closed there is nobody to tell.
pub fn tell(text: &str) {
    let _ = say(text, Escaping::Plain);
}

/// Says something that is coloured already.
pub fn tell_styled(text: &str) {
    let _ = say(text, Escaping::Styled);
}

fn say(text: &str, escaping: Escaping) -> io::Result<()> {
    // At once, so that lines of several threads do not mix.
    let mut shielded = Shield::new(Vec::with_capacity(text.len()), escaping);
    shielded.write_all(text.as_bytes())?;
    shielded.flush()?;
    io::stderr().write_all(shielded.inner())
}

impl Write for Outlet {
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
            Err(error) if self.goes_on && error.kind() == ErrorKind::BrokenPipe => {
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
