//! The difference between two texts: the lines that differ, with the changed words marked.

use std::ops::Range;

use similar::{DiffOp, DiffTag};

use super::sequence_edits::sequence_edits;
use crate::limits::MAX_ALIGNED_PARTS;

/// The number of equal lines shown before and after a difference.
const CONTEXT: usize = 2;
/// The number of characters from which a text is long. In shorter texts, the difference is obvious.
const LONG_TEXT: usize = 40;

/// The lines in which two texts differ, and the lines around them.
///
/// Removed lines start with `- `, added lines with `+ `, and common lines with two spaces. `[-…-]` marks removed words,
/// and `{+…+}` added ones.
pub fn text_diff(old: &str, new: &str) -> Vec<String> {
    let [old, new] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    let edits = edits(&old, &new);
    let count = edits.len();
    let mut diff = Vec::new();
    for (number, (tag, removed, added)) in edits.into_iter().enumerate() {
        let removed = old.get(removed).unwrap_or_default();
        let added = new.get(added).unwrap_or_default();
        if tag != DiffTag::Equal {
            let marked = marked(&removed.join("\n"), &added.join("\n"));
            let counted = [("- ", removed.len()), ("+ ", added.len())];
            for ((sign, lines), text) in counted.into_iter().zip(marked) {
                let lines = text.split('\n').take(lines);
                diff.extend(lines.map(|line| [sign, line].concat()));
            }
            continue;
        }
        // The first lines are always shown, because they name the field.
        let after = if number + 1 == count { 0 } else { CONTEXT };
        for (at, line) in removed.iter().enumerate() {
            if at < CONTEXT || at + after >= removed.len() {
                diff.push(["  ", *line].concat());
            } else if at == CONTEXT {
                diff.push("  …".to_owned());
            }
        }
    }
    diff
}

/// The difference between two values as lines. Empty if both values fit on one line and one of them is short.
pub fn long_text_diff(old: &str, new: &str) -> Vec<String> {
    let sides = [old, new];
    if sides.iter().any(|text| text.contains('\n')) || sides.iter().all(|text| is_long(text)) {
        text_diff(old, new)
    } else {
        Vec::new()
    }
}

fn is_long(text: &str) -> bool {
    text.chars().count() >= LONG_TEXT
}

/// The edits between two sequences. Above the limit, all parts differ.
fn edits(old: &[&str], new: &[&str]) -> Vec<(DiffTag, Range<usize>, Range<usize>)> {
    if old.len() + new.len() > MAX_ALIGNED_PARTS {
        return vec![(DiffTag::Replace, 0..old.len(), 0..new.len())];
    }
    sequence_edits(old, new)
        .iter()
        .map(DiffOp::as_tag_tuple)
        .collect()
}

/// Both texts, with marks around the words that differ. Short texts and texts without a common word get no marks.
fn marked(old: &str, new: &str) -> [String; 2] {
    let unmarked = [old, new];
    let [old, new] = unmarked.map(|text| text.split_inclusive([' ', '\n']).collect::<Vec<_>>());
    let [old_words, new_words] =
        [&old, &new].map(|parts| parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>());
    let edits = edits(&old_words, &new_words);
    let has_common = edits.iter().any(|(tag, ..)| *tag == DiffTag::Equal);
    if !has_common || !unmarked.iter().any(|text| is_long(text)) {
        return unmarked.map(str::to_owned);
    }
    let mut before = String::new();
    let mut after = String::new();
    for (tag, removed, added) in edits {
        let is_equal = tag == DiffTag::Equal;
        let removed = old.get(removed).unwrap_or_default().concat();
        let added = new.get(added).unwrap_or_default().concat();
        push_words(&removed, ["[-", "-]"], is_equal, &mut before);
        push_words(&added, ["{+", "+}"], is_equal, &mut after);
    }
    [before, after]
}

/// Adds words to a text, with marks in each line if they differ.
fn push_words(words: &str, [open, close]: [&str; 2], is_equal: bool, text: &mut String) {
    for line in words.split_inclusive('\n') {
        let part = line.trim_end();
        if is_equal || part.is_empty() {
            text.push_str(line);
        } else {
            let space = line.strip_prefix(part).unwrap_or_default();
            text.extend([open, part, close, space]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{long_text_diff, text_diff};

    #[test]
    fn changed_words_of_a_long_line_are_marked() {
        let old = "Good morning!\nYour table for two is booked for Friday at seven.\nBye";
        let new = "Good morning!\nYour table for three is booked for Friday.\nBye";
        assert_eq!(
            text_diff(old, new),
            [
                "  Good morning!",
                "- Your table for [-two-] is booked for [-Friday at seven.-]",
                "+ Your table for {+three+} is booked for {+Friday.+}",
                "  Bye",
            ]
        );
    }

    #[test]
    fn equal_lines_far_from_a_difference_are_cut() {
        let lines = |last: &str| format!("1\n2\n3\n4\n5\n\n{last}");
        assert_eq!(
            text_diff(&lines("a\n"), &lines("b\nc\n\nd")),
            [
                "  1", "  2", "  …", "  5", "  ", "- a", "+ b", "+ c", "+ ", "+ d"
            ]
        );
    }

    #[test]
    fn short_values_have_no_diff() {
        assert!(long_text_diff("hall", "street").is_empty());
        assert_eq!(long_text_diff("", "a\nb"), ["+ a", "+ b"]);
    }
}
