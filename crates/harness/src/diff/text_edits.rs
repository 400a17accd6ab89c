//! The edits between two texts: ranges of lines that differ. Ignores empty lines and comments.

use super::sides::Sides;
use fsmsim_syntax::diagnostic::{SourceFile, Span};
use fsmsim_syntax::document::sequence_changes;

/// A range of lines that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextEdit {
    /// The lines on both sides.
    pub lines: Sides<EditedLines>,
    /// The line that follows the edit on the second side.
    next: usize,
}

/// Line numbers in a file, from 1; empty if only the other side has lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EditedLines(Vec<usize>);

impl EditedLines {
    /// Whether an edited line is within a span.
    pub(super) fn touch(&self, file: &SourceFile, span: Span) -> bool {
        let last = span.end.saturating_sub(1).max(span.start);
        let lines = file.line_of(span.start).0..=file.line_of(last).0;
        self.0.iter().any(|line| lines.contains(line))
    }

    /// The lines without surrounding whitespace.
    pub(super) fn texts(&self, file: &SourceFile) -> Vec<String> {
        let lines: Vec<&str> = file.text().lines().collect();
        let text = |line: &usize| {
            lines
                .get(line.checked_sub(1)?)
                .map(|text| text.trim().to_owned())
        };
        self.0.iter().filter_map(text).collect()
    }

    pub(super) fn first(&self) -> Option<usize> {
        self.0.first().copied()
    }
}

impl TextEdit {
    /// The edits between two files.
    pub(super) fn between(a: &SourceFile, b: &SourceFile) -> Vec<Self> {
        let end = b.text().lines().count() + 1;
        let [a, b] = [a, b].map(|file| significant_lines(file.text()));
        let [old, new] =
            [&a, &b].map(|lines| lines.iter().map(|(_, text)| *text).collect::<Vec<_>>());
        let edited = |lines: &[(usize, &str)], range: std::ops::Range<usize>| {
            EditedLines(
                lines
                    .get(range)
                    .unwrap_or_default()
                    .iter()
                    .map(|(number, _)| *number)
                    .collect(),
            )
        };
        sequence_changes(&old, &new)
            .map(|(removed, added)| Self {
                next: b.get(added.end).map_or(end, |(number, _)| *number),
                lines: Sides {
                    a: edited(&a, removed),
                    b: edited(&b, added),
                },
            })
            .collect()
    }

    /// The line that follows the edit on the second side.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// The text of the second side with this edit reverted.
    pub(super) fn taken_back(&self, a: &SourceFile, b: &SourceFile) -> String {
        let [old, new] = [a, b].map(|file| file.text().split_inclusive('\n').collect::<Vec<_>>());
        let stretch =
            |lines: &EditedLines| Some(lines.0.first()?.saturating_sub(1)..*lines.0.last()?);
        let own = stretch(&self.lines.b).unwrap_or_else(|| self.next - 1..self.next - 1);
        let instead = stretch(&self.lines.a)
            .and_then(|lines| old.get(lines))
            .unwrap_or_default();
        let before = new.get(..own.start).unwrap_or(&new);
        let after = new.get(own.end..).unwrap_or_default();
        let mut text = before.concat();
        for line in instead.iter().chain(after) {
            // The last line of a file may lack a line break.
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

/// The lines that are not empty and not comments, with their numbers.
fn significant_lines(text: &str) -> Vec<(usize, &str)> {
    let is_significant =
        |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| is_significant(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::TextEdit;
    use fsmsim_syntax::diagnostic::SourceMap;

    /// The second text with each edit reverted separately.
    fn reverted(a: &str, b: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let [a, b] = [a, b]
            .map(|text| sources.add("x", text))
            .map(|file| sources.file(file).unwrap().clone());
        TextEdit::between(&a, &b)
            .iter()
            .map(|edit| edit.taken_back(&a, &b))
            .collect()
    }

    #[test]
    fn each_edit_is_reverted_separately() {
        assert_eq!(
            reverted("a\nb\nc\nd\n", "a\nB\n# note\nc\nD\n"),
            ["a\nb\n# note\nc\nD\n", "a\nB\n# note\nc\nd\n"]
        );
        // Reverting removes added lines and restores removed lines, also at the start and end of a file.
        assert_eq!(reverted("b\n", "a\nb\nc\n"), ["b\nc\n", "a\nb\n"]);
        assert_eq!(reverted("a\nb\nc", "b"), ["a\nb", "b\nc"]);
        assert_eq!(reverted("a\n", "a\n\n# more\n"), [""; 0]);
    }
}
