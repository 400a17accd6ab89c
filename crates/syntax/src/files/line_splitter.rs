//! Splits bytes that arrive in pieces into lines.

use std::io;

/// The maximum number of bytes of a line.
const MAX_LINE: usize = 64 << 20;

/// Splits bytes that arrive in pieces into lines.
#[derive(Debug, Default)]
pub struct LineSplitter {
    /// The number of the last complete line.
    pub number: usize,
    rest: Vec<u8>,
}

impl LineSplitter {
    /// The number of bytes after the last complete line.
    pub fn rest(&self) -> usize {
        self.rest.len()
    }

    /// Adds bytes, and passes on each complete line with its number.
    ///
    /// # Errors
    /// Returns an error if a line is too long.
    pub fn push(&mut self, bytes: &[u8], each: &mut dyn FnMut(usize, &[u8])) -> io::Result<()> {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        if !self.rest.is_empty() {
            self.rest.extend(lines.next().unwrap_or_default());
            if self.rest.ends_with(b"\n") {
                self.finish(each);
            }
        }
        for line in lines {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    self.number += 1;
                    each(self.number, line);
                }
                None => self.rest.extend(line),
            }
        }
        if self.rest.len() > MAX_LINE {
            let limit = MAX_LINE >> 20;
            let reason = format!("line {} is longer than {limit} MiB", self.number + 1);
            return Err(io::Error::other(reason));
        }
        Ok(())
    }

    /// Passes on the last line, which can lack a line break.
    pub fn finish(&mut self, each: &mut dyn FnMut(usize, &[u8])) {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.number += 1;
            each(self.number, rest.strip_suffix(b"\n").unwrap_or(&rest));
        }
    }
}
