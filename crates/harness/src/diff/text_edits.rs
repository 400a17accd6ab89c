//! The edits between two texts: ranges of lines that differ. Ignores empty lines, line ends, and comments outside
//! Markdown.

use std::ops::Range;
use std::path::Path;

use super::sides::{DiffSide, Sides};
use fsmsim_syntax::diagnostic::{SourceFile, Span};
use fsmsim_syntax::document::sequence_changes;

/// A range of lines that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextEdit {
    /// The lines on both sides, from 0. The range of a side without edited lines is empty, at the line that follows.
    pub lines: Sides<Range<usize>>,
}

impl TextEdit {
    /// The edits between two files, in order.
    pub(super) fn between(files: Sides<&SourceFile>) -> Vec<Self> {
        let lines = files.map(significant_lines);
        let texts = lines
            .as_ref()
            .map(|lines| lines.iter().map(|(_, text)| *text).collect::<Vec<_>>());
        let edited = |side: DiffSide, range: Range<usize>| {
            let lines = lines.of(side);
            let at = |index: usize| lines.get(index).map(|(number, _)| *number);
            let end = || files.of(side).text().lines().count();
            let start = at(range.start).unwrap_or_else(end);
            let last = range.clone().next_back().and_then(at);
            start..last.map_or(start, |last| last + 1)
        };
        sequence_changes(&texts.a, &texts.b)
            .flat_map(|(removed, added)| by_keys(removed, added, &texts))
            .map(|(removed, added)| Self {
                lines: Sides {
                    a: edited(DiffSide::A, removed),
                    b: edited(DiffSide::B, added),
                },
            })
            .collect()
    }

    /// Whether the edited lines of a side are within a span of its file.
    pub(super) fn touches(&self, side: DiffSide, file: &SourceFile, span: Span) -> bool {
        let lines = self.lines.of(side);
        let last = span.end.saturating_sub(1).max(span.start);
        // The lines of a file count from 1.
        !lines.is_empty()
            && lines.start < file.line_of(last).0
            && file.line_of(span.start).0 <= lines.end
    }

    /// The edited lines of a side without surrounding whitespace.
    pub(super) fn texts(&self, side: DiffSide, file: &SourceFile) -> Vec<String> {
        let lines = self.lines.of(side);
        significant_lines(file)
            .into_iter()
            .filter(|(number, _)| lines.contains(number))
            .map(|(_, text)| text.trim().to_owned())
            .collect()
    }

    /// The second text with these of its edits reverted. They must be in order.
    pub(super) fn reverted<'e>(
        edits: impl Iterator<Item = &'e Self>,
        texts: Sides<&str>,
    ) -> String {
        let lines = texts.map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let mut pieces: Vec<&str> = Vec::new();
        let mut next = 0;
        for edit in edits {
            let Sides { a, b } = &edit.lines;
            pieces.extend(lines.b.get(next..b.start).unwrap_or_default());
            pieces.extend(lines.a.get(a.clone()).unwrap_or_default());
            next = b.end;
        }
        pieces.extend(lines.b.get(next..).unwrap_or_default());
        let mut text = String::new();
        for line in pieces {
            // The last line of a file may lack a line break.
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

/// The edits of a range of lines. Neighboring lines with the same keys on both sides are separate edits: `a: 1` and
/// `b: 2` became `a: 3` and `b: 4`.
fn by_keys(
    removed: Range<usize>,
    added: Range<usize>,
    texts: &Sides<Vec<&str>>,
) -> Vec<(Range<usize>, Range<usize>)> {
    fn key<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
        Some(lines.get(at)?.split_once(':')?.0)
    }
    let pairs = removed.clone().zip(added.clone());
    let same = |(a, b): (usize, usize)| {
        key(&texts.a, a).is_some_and(|name| key(&texts.b, b) == Some(name))
    };
    if removed.len() == added.len() && pairs.clone().all(same) {
        return pairs.map(|(a, b)| (a..a + 1, b..b + 1)).collect();
    }
    vec![(removed, added)]
}

/// The lines that are not empty and not comments, with their numbers from 0.
fn significant_lines(file: &SourceFile) -> Vec<(usize, &str)> {
    // In Markdown, `#` starts a heading.
    let is_markdown = Path::new(file.path())
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let is_significant = |line: &str| {
        let line = line.trim_start();
        !line.is_empty() && (is_markdown || !line.starts_with('#'))
    };
    file.text()
        .lines()
        .enumerate()
        .filter(|(_, line)| is_significant(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Sides, TextEdit};
    use fsmsim_syntax::diagnostic::SourceMap;

    /// The second text with each edit reverted separately, then with all edits reverted.
    fn reverted(name: &str, a: &str, b: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let [file_a, file_b] = [a, b]
            .map(|text| sources.add(name, text))
            .map(|file| sources.file(file).unwrap().clone());
        let edits = TextEdit::between(Sides {
            a: &file_a,
            b: &file_b,
        });
        let texts = Sides { a, b };
        let mut all: Vec<String> = edits
            .iter()
            .map(|edit| TextEdit::reverted([edit].into_iter(), texts))
            .collect();
        all.push(TextEdit::reverted(edits.iter(), texts));
        all
    }

    #[test]
    fn edits_are_reverted_separately_and_together() {
        assert_eq!(
            reverted("x", "a\nb\nc\nd\n", "a\nB\n# note\nc\nD\n"),
            [
                "a\nb\n# note\nc\nD\n",
                "a\nB\n# note\nc\nd\n",
                "a\nb\n# note\nc\nd\n"
            ]
        );
        // Reverting removes added lines and restores removed lines, also at the start and end of a file.
        assert_eq!(
            reverted("x", "b\n", "a\nb\nc\n"),
            ["b\nc\n", "a\nb\n", "b\n"]
        );
        assert_eq!(reverted("x", "a\nb\nc", "b"), ["a\nb", "b\nc", "a\nb\nc"]);
        // Neighboring lines with the same keys are separate edits.
        assert_eq!(
            reverted("x", "a: 1\nb: 2\n", "a: 3\nb: 4\n"),
            ["a: 1\nb: 4\n", "a: 3\nb: 2\n", "a: 1\nb: 2\n"]
        );
    }

    #[test]
    fn comments_and_line_ends_are_not_edits() {
        let same = |name, a, b| reverted(name, a, b) == [b];
        assert!(same("x.yaml", "a\n", "a\n\n# more\n"));
        assert!(same("x.yaml", "a\nb\n", "a\r\nb\r\n"));
        assert!(!same("x.md", "a\n", "a\n\n# more\n"));
    }
}
