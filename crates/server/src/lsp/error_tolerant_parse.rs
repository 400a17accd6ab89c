//! Parses incomplete text: invalid lines are skipped.

use std::ops::Range;
use std::path::Path;

use crate::limits::{MAX_LINES_ABOVE_ERROR, MAX_MENDED_LINES};
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, SourceMap};
use fsmsim_syntax::document::{Node, documents, parse_yaml};

/// The syntax trees of a text, one per document, and whether the whole text is valid. Each invalid line is replaced
/// with spaces, so all positions stay the same.
pub(super) fn trees_of(path: &str, text: &str) -> Option<(Vec<Node>, bool)> {
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    let is_lines = Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "jsonl");
    let ranges = if is_lines {
        lines(text)
    } else {
        documents(text)
    };
    let mut trees = Vec::with_capacity(ranges.len());
    let mut is_whole = true;
    for range in ranges {
        let part = text.get(range.clone())?;
        let (tree, is_read) = tree_of(file, part, range.start);
        is_whole &= is_read;
        // An invalid document does not affect the others.
        trees.extend(tree);
    }
    (is_whole || !trees.is_empty()).then_some((trees, is_whole))
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        start - line.len()..start
    });
    lines
        .filter(|range| {
            text.get(range.clone())
                .is_some_and(|line| !line.trim().is_empty())
        })
        .collect()
}

fn tree_of(file: FileId, part: &str, base: usize) -> (Option<Node>, bool) {
    let mut found = Diagnostics::default();
    if let Some(tree) = parse_yaml(file, part, base, &mut found) {
        return (Some(tree), true);
    }
    let mut corrected = part.to_owned();
    for _ in 0..MAX_MENDED_LINES {
        let Some(at) = found
            .items()
            .last()
            .and_then(|finding| finding.labels.first())
            .map(|label| label.span.start)
        else {
            break;
        };
        if !erase_line(&mut corrected, (at as usize).saturating_sub(base)) {
            break;
        }
        if corrected.trim().is_empty() {
            break;
        }
        found = Diagnostics::default();
        if let Some(tree) = parse_yaml(file, &corrected, base, &mut found) {
            return (Some(tree), false);
        }
    }
    (None, false)
}

/// Replaces the line that causes an error with spaces: the nearest line at or above an offset with an unclosed quote or
/// bracket, otherwise the nearest line with text. Returns whether such a line exists.
fn erase_line(text: &mut String, at: usize) -> bool {
    let at = text.floor_char_boundary(at);
    let end = text
        .get(at..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |length| at + length);
    let lines = lines_above(text, end).take(MAX_LINES_ABOVE_ERROR);
    let mut written = lines.filter(|line| {
        text.get(line.clone())
            .is_some_and(|line| !line.trim().is_empty())
    });
    let Some(nearest) = written.next() else {
        return false;
    };
    let is_open = |line: &Range<usize>| text.get(line.clone()).is_some_and(leaves_open);
    let line = [nearest.clone()]
        .into_iter()
        .chain(written)
        .find(is_open)
        .unwrap_or(nearest);
    // Spaces for the same number of bytes keep all positions.
    let spaces = " ".repeat(line.len());
    text.replace_range(line, &spaces);
    true
}

/// The lines of a text, upward from the line that ends at an offset.
fn lines_above(text: &str, end: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(end);
    std::iter::from_fn(move || {
        let end = next?;
        let start = text
            .get(..end)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |found| found + 1);
        next = start.checked_sub(1);
        Some(start..end)
    })
}

/// Whether a line opens a bracket or a quotation mark without closing it.
fn leaves_open(line: &str) -> bool {
    let mut depth = 0_i32;
    let mut quote = None;
    for character in line.chars() {
        match character {
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            '[' | '{' if quote.is_none() => depth += 1,
            ']' | '}' if quote.is_none() => depth -= 1,
            '#' if quote.is_none() && depth == 0 => break,
            _ => {}
        }
    }
    depth != 0 || quote.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_line_does_not_affect_other_lines() {
        let text = "states:\n  a:\n    goal: \"x\n  b: {}\n";
        let (trees, is_whole) = trees_of("a.yaml", "states:\n  a: {}\n  b: [x\n  c: {}\n").unwrap();
        assert!(!is_whole);
        let states = trees[0].get("states").unwrap();
        assert!(
            states.get("a").is_some() && states.get("c").is_some(),
            "{states:?}"
        );
        assert!(trees_of("a.yaml", text).is_none_or(|(_, is_whole)| !is_whole));
        let (trees, is_whole) = trees_of("a.yaml", "a: 1\n---\n- ]\n---\nb: 2\n").unwrap();
        assert!(!is_whole && trees.iter().any(|tree| tree.get("b").is_some()));
    }
}
