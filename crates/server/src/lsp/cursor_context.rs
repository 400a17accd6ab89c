//! Finds the YAML path of a cursor from the lines above it: incomplete text has no syntax tree.

use crate::limits::MAX_LINES_ABOVE;
use std::ops::Range;

/// The YAML context of a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CursorContext {
    /// The parent keys, from the root of the document. List items add no keys.
    pub path: Vec<String>,
    /// Whether a key is possible here.
    pub may_be_key: bool,
    /// Whether a value for the last key of the path is possible here.
    pub may_be_value: bool,
    /// The word at the cursor.
    pub word: Range<usize>,
}

impl CursorContext {
    /// The context at an offset; `None` inside comments.
    pub(super) fn of(text: &str, offset: usize) -> Option<Self> {
        let offset = offset.min(text.len());
        let before = text.get(..offset)?;
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        let line = text.get(start..offset)?;
        if is_in_comment(line) {
            return None;
        }
        let mut context = Self {
            word: word_at(text, start, offset),
            ..Self::default()
        };
        let (dashes, body) = without_dashes(line);
        let column = line.len() - body.len();
        let mut above = ancestors(before.get(..start)?, column, dashes.first().copied());
        context.read_line(body, !dashes.is_empty(), &mut above);
        context.path = above;
        Some(context)
    }

    /// Reads the line up to the cursor. Appends the keys that this line opens to the parent keys.
    fn read_line(&mut self, body: &str, is_item: bool, above: &mut Vec<String>) {
        let mut rest = body;
        let mut is_value = false;
        let mut may_be_value = is_item;
        if let Some((key, value)) = key_and_rest(body) {
            above.push(key.to_owned());
            rest = value;
            is_value = true;
        }
        // The open brackets and braces: whether each one is a map, and the length of the path at its start.
        let mut open: Vec<(bool, usize)> = Vec::new();
        let mut piece = 0;
        let mut quote = None;
        for (at, character) in rest.char_indices() {
            match character {
                '"' | '\'' => match quote {
                    None => quote = Some(character),
                    Some(mark) if mark == character => quote = None,
                    Some(_) => {}
                },
                _ if quote.is_some() => {}
                '{' | '[' => {
                    add_key(rest.get(piece..at), open.last(), above);
                    open.push((character == '{', above.len()));
                    piece = at + 1;
                }
                ',' | '}' | ']' => {
                    if let Some((_, depth)) = open.last() {
                        above.truncate(*depth);
                    }
                    if character != ',' {
                        open.pop();
                    }
                    piece = at + 1;
                }
                _ => {}
            }
        }
        let last = rest.get(piece..).unwrap_or_default();
        if let Some((is_map, _)) = open.last() {
            let has_key = add_key(Some(last), open.last(), above);
            is_value = !is_map || has_key;
            may_be_value = false;
        }
        self.may_be_value = is_value || may_be_value;
        self.may_be_key = !is_value;
    }
}

/// Adds the key of a piece `key: …` inside braces to the path. Returns whether the piece has a key.
fn add_key(piece: Option<&str>, open: Option<&(bool, usize)>, path: &mut Vec<String>) -> bool {
    let key = open
        .filter(|(is_map, _)| *is_map)
        .and(piece)
        .and_then(|piece| key_and_rest(piece.trim_start()));
    path.extend(key.map(|(key, _)| key.to_owned()));
    key.is_some()
}

/// The parent keys of an item that starts at a column, found in the text above the cursor line.
///
/// Only indentation is reliable: the cursor line is not valid YAML yet. A parent key must start left of the limit.
/// Example: below `states:`, `  hall:` and `    goal: x`, a cursor at column 4 skips `goal` and is below `states`,
/// `hall`.
fn ancestors(above: &str, column: usize, dash: Option<usize>) -> Vec<String> {
    let mut path = Vec::new();
    // Parent keys start further left; the key of a list can be in the same column as its dash.
    let mut limit = dash.map_or(column, |dash| dash + 1);
    for line in above.lines().rev().take(MAX_LINES_ABOVE) {
        if line.starts_with("---") || line.starts_with("...") {
            break;
        }
        let (dashes, body) = without_dashes(line);
        if body.trim().is_empty() && dashes.is_empty() || body.starts_with('#') {
            continue;
        }
        let at = line.len() - body.len();
        if let Some((key, _)) = key_and_rest(body).filter(|_| at < limit) {
            path.push(key.to_owned());
            limit = at;
        }
        // The line starts an item of an enclosing list. Its key is further left, or directly above the dash.
        if let Some(dash) = dashes.first().copied().filter(|dash| *dash < limit) {
            limit = limit.min(dash + 1);
        }
        if limit == 0 {
            break;
        }
    }
    path.reverse();
    path
}

/// The columns of the dashes at the start of a line, and the rest of the line.
fn without_dashes(line: &str) -> (Vec<usize>, &str) {
    let mut dashes = Vec::new();
    let mut rest = line.trim_start_matches(' ');
    while let Some(after) = rest
        .strip_prefix('-')
        .filter(|after| after.is_empty() || after.starts_with(' '))
    {
        dashes.push(line.len() - rest.len());
        rest = after.trim_start_matches(' ');
    }
    (dashes, rest)
}

/// The key at the start of a text, and the text after its colon.
fn key_and_rest(text: &str) -> Option<(&str, &str)> {
    if let Some(quote) = text
        .chars()
        .next()
        .filter(|character| matches!(character, '"' | '\''))
    {
        let (key, rest) = text.get(1..)?.split_once(quote)?;
        return Some((key, rest.trim_start().strip_prefix(':')?));
    }
    if text.starts_with(['{', '[']) {
        return None;
    }
    let colon = text.match_indices(':').map(|(at, _)| at).find(|at| {
        text.get(at + 1..)
            .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
    })?;
    Some((text.get(..colon)?.trim_end(), text.get(colon + 1..)?))
}

/// Whether the end of a line is inside a comment.
fn is_in_comment(line: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for character in line.chars() {
        match character {
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            '#' if quote.is_none() && before.is_whitespace() => return true,
            _ => {}
        }
        before = character;
    }
    false
}

/// The word around an offset, within its line.
fn word_at(text: &str, line: usize, offset: usize) -> Range<usize> {
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '[' | ']' | '{' | '}' | ',' | '"' | '\'' | ':')
    };
    let before = text.get(line..offset).unwrap_or_default();
    let start = before.rfind(ends).map_or(line, |at| {
        line + at
            + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
    });
    let after = text.get(offset..).unwrap_or_default();
    start..offset + after.find(ends).unwrap_or(after.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path at `|`, and whether a key and a value are possible there.
    fn at(text: &str) -> (String, bool, bool) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let context = CursorContext::of(&text, offset).unwrap();
        (
            context.path.join("/"),
            context.may_be_key,
            context.may_be_value,
        )
    }

    #[test]
    fn lines_above_determine_the_cursor_path() {
        for (text, path, key, value) in [
            ("|", "", true, false),
            ("states:\n  a:\n    |", "states/a", true, false),
            (
                "states:\n  a:\n    goal: x\n    transitions:\n      price: clo|",
                "states/a/transitions/price",
                false,
                true,
            ),
            ("states:\n  a:\n    goal: x\n  |", "states", true, false),
            (
                "states:\n  a:\n    mixins: [b, |",
                "states/a/mixins",
                false,
                true,
            ),
            (
                "states:\n  a:\n    transitions: {x: y, z: |}",
                "states/a/transitions/z",
                false,
                true,
            ),
            (
                "states:\n  a:\n    transitions: {x: y, |}",
                "states/a/transitions",
                true,
                false,
            ),
            (
                "turns:\n  - intent: x\n    expect: {state: |",
                "turns/expect/state",
                false,
                true,
            ),
            (
                "turns:\n- intent: x\n  expect:\n    |",
                "turns/expect",
                true,
                false,
            ),
            ("turns:\n  - intent: x\n  - |", "turns", true, true),
            ("turns:\n  - intent: |", "turns/intent", false, true),
            (
                "states:\n  a:\n    required_data:\n      - |",
                "states/a/required_data",
                true,
                true,
            ),
            ("a:\n  b: 1\n---\nturns:\n  - |", "turns", true, true),
            (
                "s:\n  a:\n    t:\n      p:\n        - when: {and: [x, |",
                "s/a/t/p/when/and",
                false,
                true,
            ),
        ] {
            assert_eq!(at(text), (path.to_owned(), key, value), "{text}");
        }
        assert_eq!(CursorContext::of("a: b # c", 8), None);
        let context = CursorContext::of("a: [bc, d]", 5).unwrap();
        assert_eq!(context.word, 4..6);
    }
}
