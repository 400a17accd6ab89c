//! The edits between two texts: stretches of lines that are not the same. Empty lines and comments are none.

use super::sides::Sides;
use fsmsim_syntax::diagnostic::{SourceFile, Span};
use fsmsim_syntax::document::sequence_changes;

/// A stretch of lines that are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextEdit {
    /// The lines of both sides.
    pub lines: Sides<EditedLines>,
    /// The line of the second side that follows.
    next: usize,
}

/// Lines of a file, from 1; none where the other side only has more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EditedLines(Vec<usize>);

impl EditedLines {
    /// Whether one of them is among those of a text.
    pub(super) fn touch(&self, file: &SourceFile, span: Span) -> bool {
        let last = span.end.saturating_sub(1).max(span.start);
        let lines = file.line_of(span.start).0..=file.line_of(last).0;
        self.0.iter().any(|line| lines.contains(line))
    }

    /// Their texts, without what stands around them.
    pub(super) fn texts(&self, file: &SourceFile) -> Vec<String> {
        let lines: Vec<&str> = file.text().lines().collect();
        let text = |line: &usize| {
            lines
                .get(line.checked_sub(1)?)
                .map(|text| text.trim().to_owned())
        };
        self.0.iter().filter_map(text).collect()
    }

    /// The first of them.
    pub(super) fn first(&self) -> Option<usize> {
        self.0.first().copied()
    }
}

impl TextEdit {
    /// The edits between two files.
    pub(super) fn between(a: &SourceFile, b: &SourceFile) -> Vec<Self> {
        let behind = b.text().lines().count() + 1;
        let [a, b] = [a, b].map(|file| telling(file.text()));
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
            .map(|(gone, come)| Self {
                next: b.get(come.end).map_or(behind, |(number, _)| *number),
                lines: Sides {
                    a: edited(&a, gone),
                    b: edited(&b, come),
                },
            })
            .collect()
    }

    /// The line of the second side that follows.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// The text of the second side with that of the first in the place of this edit.
    pub(super) fn taken_back(&self, a: &SourceFile, b: &SourceFile) -> String {
        let [old, new] = [a, b].map(|file| file.text().split_inclusive('\n').collect::<Vec<_>>());
        let stretch =
            |lines: &EditedLines| Some(lines.0.first()?.saturating_sub(1)..*lines.0.last()?);
        let own = stretch(&self.lines.b).unwrap_or_else(|| self.next - 1..self.next - 1);
        let instead = stretch(&self.lines.a)
            .and_then(|lines| old.get(lines))
            .unwrap_or_default();
        let (before, behind) = (
            new.get(..own.start).unwrap_or(&new),
            new.get(own.end..).unwrap_or_default(),
        );
        let mut text = before.concat();
        for line in instead.iter().chain(behind) {
            // The last line of a file may lack its end.
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

/// The lines that say something, with their numbers.
fn telling(text: &str) -> Vec<(usize, &str)> {
    let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| says(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::TextEdit;
    use fsmsim_syntax::diagnostic::SourceMap;

    /// The second text with one edit after the other taken back alone.
    fn taken_back(a: &str, b: &str) -> Vec<String> {
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
    fn each_edit_is_taken_back_alone() {
        assert_eq!(
            taken_back("a\nb\nc\nd\n", "a\nB\n# note\nc\nD\n"),
            ["a\nb\n# note\nc\nD\n", "a\nB\n# note\nc\nd\n"]
        );
        // What was added is gone, what was removed is back, also at both ends.
        assert_eq!(taken_back("b\n", "a\nb\nc\n"), ["b\nc\n", "a\nb\n"]);
        assert_eq!(taken_back("a\nb\nc", "b"), ["a\nb", "b\nc"]);
        assert_eq!(taken_back("a\n", "a\n\n# more\n"), [""; 0]);
    }
}
