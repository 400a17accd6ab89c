//! The lines of a table: values separated by a delimiter, optionally in quotation marks.

use std::borrow::Cow;

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, FileId, Span};

/// A line of a table. If a quoted value contains line breaks, the line spans several lines of the file.
pub(super) struct TableLine<'t> {
    pub values: Vec<TableValue<'t>>,
    /// The location of the first line in the file.
    pub span: Span,
}

pub(super) struct TableValue<'t> {
    /// The text: verbatim if quoted, otherwise without surrounding spaces.
    pub text: Cow<'t, str>,
    /// The location, including any quotation marks.
    pub span: Span,
}

/// Reads the lines of a table in order. Blank lines are skipped.
pub(super) struct TableLines<'t> {
    file: FileId,
    text: &'t str,
    delimiter: u8,
    at: usize,
}

impl<'t> TableLines<'t> {
    pub(super) fn new(file: FileId, text: &'t str) -> Self {
        // Some programs write a byte order mark at the start of a file.
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        Self {
            file,
            text,
            delimiter: delimiter(text),
            at,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns the text up to the next matching byte or the end, and advances to that position.
    fn take_until(&mut self, is_end: impl Fn(u8) -> bool) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().position(is_end).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn skip_spaces(&mut self) {
        let delimiter = self.delimiter;
        self.take_until(|byte| !matches!(byte, b' ' | b'\t') || byte == delimiter);
    }

    /// Reads a quoted value. The next byte is the opening quotation mark.
    fn quoted(&mut self) -> Checked<Cow<'t, str>> {
        let open = self.at;
        let mut text = Cow::Borrowed("");
        loop {
            self.at += 1;
            let part = self.take_until(|byte| byte == b'"');
            text = if text.is_empty() {
                Cow::Borrowed(part)
            } else {
                text + part
            };
            if self.peek().is_none() {
                return Err(Box::new(
                    Diagnostic::error(Code::BadDataset, "unclosed quotation mark")
                        .at(Span::new(self.file, open, open + 1), "opening quotation mark")
                        .help("close the value with a quotation mark; inside the value, write a quotation mark as `\"\"`"),
                ));
            }
            self.at += 1;
            if self.peek() != Some(b'"') {
                break;
            }
            text += "\"";
        }
        self.skip_spaces();
        let delimiter = self.delimiter;
        if self
            .peek()
            .is_none_or(|byte| is_break(byte) || byte == delimiter)
        {
            return Ok(text);
        }
        let at = self.at;
        self.take_until(is_break);
        Err(Box::new(
            Diagnostic::error(
                Code::BadDataset,
                "unexpected text after the closing quotation mark",
            )
            .at(Span::new(self.file, at, at + 1), "unexpected text")
            .at(
                Span::new(self.file, open, open + 1),
                "opening quotation mark",
            )
            .help("write a quotation mark inside the value as `\"\"`, or move the closing one"),
        ))
    }

    fn line(&mut self) -> Checked<TableLine<'t>> {
        let line_start = self.at;
        let delimiter = self.delimiter;
        let mut values = Vec::new();
        loop {
            self.skip_spaces();
            let start = self.at;
            let text = match self.peek() {
                Some(b'"') => self.quoted()?,
                _ => Cow::Borrowed(
                    self.take_until(|byte| is_break(byte) || byte == delimiter)
                        .trim(),
                ),
            };
            let shown = self
                .text
                .get(start..self.at)
                .unwrap_or_default()
                .trim_end()
                .len();
            values.push(TableValue {
                text,
                span: Span::new(self.file, start, start + shown),
            });
            if self.peek() != Some(delimiter) {
                break;
            }
            self.at += 1;
        }
        let first = self
            .text
            .get(line_start..self.at)
            .unwrap_or_default()
            .lines()
            .next()
            .map_or(0, str::len);
        Ok(TableLine {
            values,
            span: Span::new(self.file, line_start, line_start + first),
        })
    }
}

impl<'t> Iterator for TableLines<'t> {
    type Item = Checked<TableLine<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line_start = self.at;
            let is_blank = self.take_until(is_break).trim().is_empty();
            if !is_blank {
                self.at = line_start;
                return Some(self.line());
            }
            self.peek()?;
            self.at += 1;
        }
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Detects the delimiter from the first line.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |wanted: u8| header.bytes().filter(|byte| *byte == wanted).count();
    [b';', b'\t']
        .into_iter()
        .find(|other| count(*other) > count(b','))
        .unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::SourceMap;

    fn read(text: &str) -> Vec<Result<Vec<String>, String>> {
        let file = SourceMap::default().add("t", text);
        let lines = TableLines::new(file, text);
        let shown = |line: TableLine<'_>| {
            line.values
                .iter()
                .map(|value| value.text.to_string())
                .collect()
        };
        lines
            .map(|line| line.map(shown).map_err(|fault| fault.title.clone()))
            .collect()
    }

    #[test]
    fn values_are_read_with_and_without_quotation_marks() {
        let lines = read("\u{feff}a,b\r\n\n x y , \" z \"\"q\"\"\nnext\" \n,\n5\" disk,\"\"");
        let known = [
            ["a", "b"],
            ["x y", " z \"q\"\nnext"],
            ["", ""],
            ["5\" disk", ""],
        ];
        assert_eq!(
            lines,
            known.map(|line| Ok(line.map(str::to_owned).to_vec()))
        );
    }

    #[test]
    fn unclosed_quotation_marks_are_reported() {
        assert_eq!(
            read("a,b\n\"x,y\nz,w\n")[1],
            Err("unclosed quotation mark".into())
        );
        let lines = read("a,b\n\"x,y\nz,\"w\nq,r\n");
        assert_eq!(
            lines[1],
            Err("unexpected text after the closing quotation mark".into())
        );
        assert_eq!(lines[2], Ok(vec!["q".into(), "r".into()]));
    }
}
