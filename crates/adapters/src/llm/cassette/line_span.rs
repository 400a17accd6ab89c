//! Byte ranges of lines, so that not all lines have to be in memory.

use crate::limits::MAX_CASSETTE_LINE;
use std::io::{self, BufRead, Read};

/// The byte range of a line, without its line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineSpan {
    /// The start in bytes.
    pub at: u64,
    /// The length in bytes.
    pub length: u32,
}

impl LineSpan {
    /// The start of the next line.
    pub(super) fn end(self) -> u64 {
        self.at + u64::from(self.length) + 1
    }
}

/// Passes nonempty lines with their numbers from 1 to `each`. Returns the total length of complete lines. Data after
/// that length is a truncated line.
///
/// # Errors
/// Returns an error if reading fails, or if a line is too long.
pub(super) fn scan_lines(
    reader: &mut dyn BufRead,
    each: &mut dyn FnMut(usize, LineSpan, &[u8]),
) -> io::Result<u64> {
    let mut at = 0;
    let mut whole = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let length = (&mut *reader)
            .take(MAX_CASSETTE_LINE)
            .read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            break;
        }
        let text = line.strip_suffix(b"\n");
        if text.is_none() && length == MAX_CASSETTE_LINE {
            return Err(io::Error::other(format!(
                "line {number} is longer than {} MiB",
                MAX_CASSETTE_LINE >> 20
            )));
        }
        if text.is_some() {
            whole = at + length;
        }
        let text = text.unwrap_or(&line);
        if !text.trim_ascii().is_empty() {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            each(number, LineSpan { at, length }, text);
        }
        at += length;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_spans_match_the_positions_of_lines() {
        let text = b"one\n\n  \r\ntwo\r\nthree";
        let mut seen = Vec::new();
        let whole = scan_lines(&mut &text[..], &mut |number, span, line| {
            let at = usize::try_from(span.at).unwrap();
            assert_eq!(&text[at..at + span.length as usize], line);
            seen.push((number, String::from_utf8(line.to_vec()).unwrap()));
        });
        assert_eq!(whole.unwrap(), 14);
        assert_eq!(
            seen,
            [
                (1, "one".to_owned()),
                (4, "two\r".to_owned()),
                (5, "three".to_owned())
            ]
        );
    }
}
