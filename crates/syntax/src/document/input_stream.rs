//! Input streams that are read line by line.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::compressed::unpacked;
use super::file::unreadable;
use crate::diagnostic::Checked;
use crate::files::{InputFiles, ReadSandbox};

/// The size of the read buffer, in bytes.
const BUFFER_SIZE: usize = 1 << 18;

/// A stream that is read line by line: a file, or standard input.
pub struct InputStream {
    reader: BufReader<Box<dyn Read>>,
    /// Whether reading can block, because another process writes the data.
    may_wait: bool,
    /// Whether reading fails with `WouldBlock` if it can block.
    pub never_waits: bool,
}

impl InputStream {
    /// Opens a file, or standard input if the path is `-`, and decompresses it. Also returns its name for findings.
    pub fn open(path: &Path) -> Checked<(Self, String)> {
        if path == Path::new("-") {
            let input = unpacked(io::stdin()).map_err(|error| unreadable(path, &error))?;
            return Ok((Self::of(input, true), "standard input".to_owned()));
        }
        InputFiles::add(path);
        let file = ReadSandbox::open(path).map_err(|error| unreadable(path, &error))?;
        let may_wait = !file.metadata().is_ok_and(|kind| kind.is_file());
        let input = unpacked(file).map_err(|error| unreadable(path, &error))?;
        Ok((Self::of(input, may_wait), path.display().to_string()))
    }

    /// A stream from a reader. `may_wait`: whether reading can block.
    pub fn of(source: impl Read + 'static, may_wait: bool) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_SIZE, Box::new(source)),
            may_wait,
            never_waits: false,
        }
    }

    /// Whether reading the next line can block. Callers write pending output first.
    pub fn is_dry(&self) -> bool {
        self.may_wait && !self.reader.buffer().contains(&b'\n')
    }
}

impl Read for InputStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.reader.read(bytes)
    }
}

impl BufRead for InputStream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.never_waits && self.is_dry() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}
