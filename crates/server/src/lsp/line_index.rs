//! Converts between byte offsets and editor positions.

use gen_lsp_types::{Position, PositionEncodingKind, Range};

/// The unit in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColumnUnit {
    /// Code units of UTF-16, which every editor supports.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

impl ColumnUnit {
    /// The name of the unit in the protocol.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }
}

/// The start offsets of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// The lines of a text. A line ends with `\n`, `\r\n` or `\r`.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self {
            starts: [0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// The start of a line and the end of its text, without the line ending; after the last line, the end of the text.
    pub(super) fn line(&self, line: usize, text: &str) -> (usize, usize) {
        let Some(start) = self.starts.get(line).copied() else {
            return (text.len(), text.len());
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let body = text
            .get(start..end)
            .unwrap_or_default()
            .trim_end_matches(['\n', '\r']);
        (start, start + body.len())
    }

    /// The line that contains an offset.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// The offset of a position. A column after the end of a line gives the line end, a column inside a character its
    /// start.
    pub(super) fn offset(&self, position: Position, text: &str, unit: ColumnUnit) -> usize {
        let (start, end) = self.line(position.line as usize, text);
        let line = text.get(start..end).unwrap_or_default();
        let column = position.character as usize;
        let mut units = 0;
        for (at, character) in line.char_indices() {
            units += match unit {
                ColumnUnit::Utf16 => character.len_utf16(),
                ColumnUnit::Utf8 => character.len_utf8(),
            };
            if units > column {
                return start + at;
            }
        }
        end
    }

    /// The position of an offset.
    pub(super) fn position(&self, offset: usize, text: &str, unit: ColumnUnit) -> Position {
        let offset = offset.min(text.len());
        let line = self.line_of(offset);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        let column = match unit {
            ColumnUnit::Utf16 => before.chars().map(char::len_utf16).sum(),
            ColumnUnit::Utf8 => before.len(),
        };
        let clamp = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position {
            line: clamp(line),
            character: clamp(column),
        }
    }

    /// The range between two offsets.
    pub(super) fn range(&self, at: &std::ops::Range<usize>, text: &str, unit: ColumnUnit) -> Range {
        Range {
            start: self.position(at.start, text, unit),
            end: self.position(at.end, text, unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_use_the_unit_of_the_editor() {
        let text = "a: 🙂б\r\nшаг\rx\n";
        let lines = LineIndex::of(text);
        assert_eq!(lines.starts.len(), 4);
        let after_emoji = "a: 🙂".len();
        let at = |line, character| Position { line, character };
        assert_eq!(
            lines.position(after_emoji, text, ColumnUnit::Utf16),
            at(0, 5)
        );
        assert_eq!(
            lines.position(after_emoji, text, ColumnUnit::Utf8),
            at(0, 7)
        );
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            for unit in [ColumnUnit::Utf16, ColumnUnit::Utf8] {
                let position = lines.position(offset, text, unit);
                let is_inside_end = text
                    .get(..offset)
                    .is_some_and(|before| before.ends_with('\r'));
                if !is_inside_end || lines.line(position.line as usize, text).0 == offset {
                    assert_eq!(
                        lines.offset(position, text, unit),
                        offset,
                        "{offset} {position:?}"
                    );
                }
            }
        }
        // Positions inside a character, after the end of a line, and after the end of the text.
        assert_eq!(lines.offset(at(0, 4), text, ColumnUnit::Utf16), 3);
        assert_eq!(
            lines.offset(at(1, 99), text, ColumnUnit::Utf16),
            "a: 🙂б\r\nшаг".len()
        );
        assert_eq!(lines.offset(at(99, 0), text, ColumnUnit::Utf16), text.len());
    }
}
