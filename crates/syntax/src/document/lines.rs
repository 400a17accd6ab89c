//! Reads files line by line, as UTF-8, with line numbers and a length limit.

use std::io::{BufRead, ErrorKind, Read};

use crate::diagnostic::{Checked, Code, Diagnostic};

/// The lines of a stream. Skips lines of white space and a byte order mark.
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    name: String,
    /// The maximum length of a line, in bytes.
    limit: usize,
    number: usize,
    bytes: Vec<u8>,
    /// Whether the last line was not read, because the stream has to wait for it.
    pub waits: bool,
}

impl<R: BufRead> LineReader<R> {
    /// The lines of a stream. `name` is its name in findings; a line can have at most `limit` bytes.
    pub fn new(input: R, name: &str, limit: usize) -> Self {
        Self {
            input,
            name: name.to_owned(),
            limit,
            number: 0,
            bytes: Vec::new(),
            waits: false,
        }
    }

    /// The name of the stream in findings.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn input(&self) -> &R {
        &self.input
    }

    pub fn input_mut(&mut self) -> &mut R {
        &mut self.input
    }

    /// The number of the last line that was read.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the next line without its line break, with its number; `None` at the end of the stream, or if the stream
    /// `waits`.
    ///
    /// # Errors
    /// Returns a finding if the stream fails, or if the line is too long or not UTF-8. After a line that is not UTF-8,
    /// the next one can be read.
    pub fn read(&mut self) -> Checked<Option<(usize, &str)>> {
        loop {
            self.bytes.clear();
            self.number += 1;
            let number = self.number;
            let name = &self.name;
            let mut part = Read::take(&mut self.input, self.limit as u64 + 1);
            let read = part.read_until(b'\n', &mut self.bytes);
            self.waits = read
                .as_ref()
                .is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
            if self.waits {
                self.number -= 1;
                return Ok(None);
            }
            let read = read.map_err(|error| {
                Diagnostic::error(
                    Code::FileUnreadable,
                    format!("cannot read `{name}`: {error}"),
                )
                .about(name.clone())
                .help("use the path of a file, or `-` for standard input")
            })?;
            if read == 0 {
                return Ok(None);
            }
            if self.bytes.len() > self.limit {
                return Diagnostic::error(
                    Code::FileTooLarge,
                    format!(
                        "line {number} of `{name}` is longer than {} MiB",
                        self.limit >> 20
                    ),
                )
                .about(format!("{name}:{number}"))
                .help("split the dialogue")
                .fail();
            }
            if number == 1 && self.bytes.starts_with("\u{feff}".as_bytes()) {
                self.bytes.drain(..3);
            }
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        match str::from_utf8(&self.bytes) {
            Ok(text) => Ok(Some((self.number, text.trim_end_matches(['\n', '\r'])))),
            Err(error) => {
                let number = self.number;
                let name = &self.name;
                let good = self.bytes.get(..error.valid_up_to()).unwrap_or_default();
                let column = String::from_utf8_lossy(good).chars().count() + 1;
                let finding = Diagnostic::error(
                    Code::NotUtf8,
                    format!("line {number} of `{name}` is not UTF-8 text"),
                );
                let place = format!("{name}:{number}:{column}");
                finding.about(place).help("save the file as UTF-8").fail()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_and_no_line_breaks() {
        let mut lines = LineReader::new("\u{feff}a\r\n \n\nб".as_bytes(), "x", 1 << 20);
        assert_eq!(lines.read().unwrap(), Some((1, "a")));
        assert_eq!(lines.read().unwrap(), Some((4, "б")));
        assert_eq!(lines.read().unwrap(), None);
    }

    #[test]
    fn invalid_utf8_is_reported_and_the_next_line_is_read() {
        let mut lines = LineReader::new(b"\xd0\xb1\xff\nb\n".as_slice(), "x", 1 << 20);
        assert_eq!(lines.read().unwrap_err().path.as_deref(), Some("x:1:2"));
        assert_eq!(lines.read().unwrap(), Some((2, "b")));
    }
}
