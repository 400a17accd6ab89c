//! Lines of a stream, none of which is longer than it may be.

use std::collections::VecDeque;

use crate::http::{MAX_BODY, log};

/// So much of a line that is too long is kept, to see what it is about.
const HEAD: usize = 4096;

/// The lines of a stream, as they come. One that is longer than a message may be is passed over, and is never in memory whole.
pub(super) struct BoundedLines {
    /// Lines that are whole.
    ready: VecDeque<BoundedLine>,
    /// The line that is being read, as far as it is short enough.
    line: Vec<u8>,
    /// The rest of the line is passed over.
    is_too_long: bool,
    most: usize,
}

/// A line, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoundedLine {
    /// As it came.
    Whole(Vec<u8>),
    /// How one begins that is too long.
    TooLong(Vec<u8>),
}

impl Default for BoundedLines {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            line: Vec::new(),
            is_too_long: false,
            most: MAX_BODY,
        }
    }
}

impl BoundedLines {
    /// Takes what has come.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_too_long {
                self.is_too_long = !part.ends_with(b"\n");
                continue;
            }
            let (part, ends) = part
                .strip_suffix(b"\n")
                .map_or((part, false), |part| (part, true));
            self.line.extend_from_slice(part);
            if self.line.len() > self.most {
                log(&format!("refused: a line of more than {} bytes", self.most));
                let mut head = std::mem::take(&mut self.line);
                head.truncate(HEAD);
                head.shrink_to_fit();
                self.ready.push_back(BoundedLine::TooLong(head));
                self.is_too_long = !ends;
            } else if ends {
                self.ready
                    .push_back(BoundedLine::Whole(std::mem::take(&mut self.line)));
            }
        }
    }

    /// There is no more: the last line may have no end.
    pub(super) fn end(&mut self) {
        if !self.line.is_empty() {
            self.ready
                .push_back(BoundedLine::Whole(std::mem::take(&mut self.line)));
        }
    }

    /// The next line that is whole.
    pub(super) fn next(&mut self) -> Option<BoundedLine> {
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_last_needs_no_end() {
        let mut lines = BoundedLines {
            most: 4,
            ..BoundedLines::default()
        };
        for part in ["ab", "c\nabc", "de", "fgh\n", "x\n", "12345\n", "last"] {
            lines.take(part.as_bytes());
            assert!(lines.line.len() <= 4);
        }
        lines.end();
        let whole = |text: &str| BoundedLine::Whole(text.into());
        let too_long = |text: &str| BoundedLine::TooLong(text.into());
        let all: Vec<BoundedLine> = std::iter::from_fn(|| lines.next()).collect();
        assert_eq!(
            all,
            [
                whole("abc"),
                too_long("abcde"),
                whole("x"),
                too_long("12345"),
                whole("last")
            ]
        );
    }
}
