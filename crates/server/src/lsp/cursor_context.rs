//! Where in a document a cursor stands, by the lines above it: what is being typed there is no tree yet.

use crate::limits::MAX_LINES_ABOVE;
use std::ops::Range;

/// Where a cursor stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CursorContext {
    /// The keys above, from the root of the document; lists are passed through.
    pub(super) path: Vec<String>,
    /// Whether a key may stand here.
    pub(super) may_be_key: bool,
    /// Whether a value may stand here: that of the last key of the path.
    pub(super) may_be_value: bool,
    /// The word that is being typed.
    pub(super) word: Range<usize>,
}

impl CursorContext {
    /// Where an offset of a text is. `None` inside comments.
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

    /// Reads what stands on the line before the cursor; keys that are open there are added to those above.
    fn read_line(&mut self, body: &str, is_item: bool, above: &mut Vec<String>) {
        let mut rest = body;
        let (mut is_value, mut may_be_value) = (false, is_item);
        if let Some((key, value)) = key_and_rest(body) {
            above.push(key.to_owned());
            rest = value;
            is_value = true;
        }
        // What is open in brackets and braces, each with whether it is a map, and the keys that were added inside.
        let mut open: Vec<(bool, usize)> = Vec::new();
        let mut piece = 0;
        let mut quote = None;
        for (at, letter) in rest.char_indices() {
            match letter {
                '"' | '\'' => match quote {
                    None => quote = Some(letter),
                    Some(mark) if mark == letter => quote = None,
                    Some(_) => {}
                },
                _ if quote.is_some() => {}
                '{' | '[' => {
                    add_key(rest.get(piece..at), open.last(), above);
                    open.push((letter == '{', above.len()));
                    piece = at + 1;
                }
                ',' | '}' | ']' => {
                    if let Some((_, depth)) = open.last() {
                        above.truncate(*depth);
                    }
                    if letter != ',' {
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

/// Adds the key of a piece `key: …` inside braces to the path. Whether there is one.
fn add_key(piece: Option<&str>, open: Option<&(bool, usize)>, path: &mut Vec<String>) -> bool {
    let key = open
        .filter(|(is_map, _)| *is_map)
        .and(piece)
        .and_then(|piece| key_and_rest(piece.trim_start()));
    path.extend(key.map(|(key, _)| key.to_owned()));
    key.is_some()
}

/// The keys above a text that ends before the line of the cursor, for something that begins at a column.
///
/// Only indentation tells, since the line of the cursor is no YAML yet. The limit is the column left of which a key must begin to
/// be above: below `states:`, `  hall:` and `    goal: x`, a cursor at column 4 passes over `goal` and is below `states`, `hall`.
fn ancestors(above: &str, column: usize, dash: Option<usize>) -> Vec<String> {
    let mut path = Vec::new();
    // Keys of what is above begin further left; beside a dash, the key of its list may stand right above it.
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
        // The line begins an item of a list that is around: its key stands further left, or right above the dash.
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

/// The columns of the dashes that a line begins with, and what follows.
fn without_dashes(line: &str) -> (Vec<usize>, &str) {
    let (mut dashes, mut rest) = (Vec::new(), line.trim_start_matches(' '));
    while let Some(behind) = rest
        .strip_prefix('-')
        .filter(|behind| behind.is_empty() || behind.starts_with(' '))
    {
        dashes.push(line.len() - rest.len());
        rest = behind.trim_start_matches(' ');
    }
    (dashes, rest)
}

/// The key that a text begins with, and what follows its colon.
fn key_and_rest(text: &str) -> Option<(&str, &str)> {
    if let Some(quote) = text
        .chars()
        .next()
        .filter(|letter| matches!(letter, '"' | '\''))
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

/// Whether the end of a line lies in a comment.
fn is_in_comment(line: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for letter in line.chars() {
        match letter {
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            _ if quote == Some(letter) => quote = None,
            '#' if quote.is_none() && before.is_whitespace() => return true,
            _ => {}
        }
        before = letter;
    }
    false
}

/// The word around an offset, in its line.
fn word_at(text: &str, line: usize, offset: usize) -> Range<usize> {
    let ends = |letter: char| {
        letter.is_whitespace() || matches!(letter, '[' | ']' | '{' | '}' | ',' | '"' | '\'' | ':')
    };
    let before = text.get(line..offset).unwrap_or_default();
    let start = before.rfind(ends).map_or(line, |at| {
        line + at
            + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
    });
    let behind = text.get(offset..).unwrap_or_default();
    start..offset + behind.find(ends).unwrap_or(behind.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path at `|`, and whether a key and a value may stand there.
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
    fn lines_above_say_where_a_cursor_is() {
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
