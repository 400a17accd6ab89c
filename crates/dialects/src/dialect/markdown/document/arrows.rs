//! Reads transitions from arrows in lines of text: `A → B: text`, `A -- text --> B`, `event: A → B`, `A → B → C`.

use crate::limits::MAX_MOVE_TEXT;

use super::names::{Named, StateName, TransitionEnd, after_final, after_initial, of_text};
use super::outline::TextLine;
use super::row::{Row, events};
use crate::dialect::markdown::plain::ARROWS;
use crate::dialect::markdown::words::words;

/// The transitions of a line. In the section of a state, `from` is the state, and the text before the arrow is the
/// condition.
pub(super) fn rows(line: &TextLine, from: Option<&Named>) -> Vec<Row> {
    let mut found = Vec::new();
    for piece in pieces(&line.text)
        .into_iter()
        .filter(|piece| piece.len() <= MAX_MOVE_TEXT)
    {
        match from {
            Some(from) => found.extend(in_section(piece, line, from)),
            None => found.extend(free(piece, line)),
        }
    }
    found
}

/// Splits a line with several transitions, if each piece has an arrow.
fn pieces(text: &str) -> Vec<&str> {
    for mark in [";", ". ", ","] {
        let pieces: Vec<&str> = text
            .split(mark)
            .filter(|piece| !piece.trim().is_empty())
            .collect();
        if pieces.len() > 1 && pieces.iter().all(|piece| arrow(piece).is_some()) {
            return pieces;
        }
    }
    vec![text]
}

/// The range of the first arrow.
fn arrow(text: &str) -> Option<(usize, usize)> {
    ARROWS
        .iter()
        .filter_map(|arrow| Some((text.find(arrow)?, arrow.len())))
        .min_by_key(|(at, length)| (*at, usize::MAX - *length))
        .map(|(at, length)| (at, at + length))
}

/// Reads `event → name` in the section of a state.
fn in_section(text: &str, line: &TextLine, from: &Named) -> Option<Row> {
    let (at, after) = arrow(text)?;
    let left = text.get(..at)?;
    let right = text.get(after..)?;
    let (name, rest) = divided(right, line);
    let condition = joined(trimmed(left), rest);
    row(from.clone(), name, &condition, trimmed(left), line)
}

/// Reads `name → name: text` and similar forms.
///
/// The text between two arrows is the target of one transition and the source of the next: `A → B → C` has two
/// transitions. Text in parentheses is an event instead: `A → (pay) → B` has one transition. A remark after a name
/// belongs to the transition to this name: in `A → B on pay → C`, `pay` belongs to the first transition.
fn free(text: &str, line: &TextLine) -> Vec<Row> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((at, after)) = arrow(rest) {
        parts.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(after..).unwrap_or_default();
    }
    parts.push(rest);
    let [first, middle @ .., last] = &parts[..] else {
        return Vec::new();
    };
    let (mut left, mut event) = before(first, line);
    let (end, remark) = divided(last, line);
    let mut rows = Vec::new();
    for part in middle {
        // `A → (event) → B`
        let inner = part.trim();
        if inner.starts_with(['(', '[']) && inner.ends_with([')', ']']) {
            event = trimmed(inner);
            continue;
        }
        let (name, part_remark) = divided(part, line);
        rows.extend(row(
            of_text(left, line.span, TransitionEnd::From),
            name,
            &joined(event, part_remark),
            event,
            line,
        ));
        left = name;
        event = "";
    }
    let from = of_text(left, line.span, TransitionEnd::From);
    let event = if event.is_empty() { remark } else { event };
    let condition = if event == remark {
        remark.to_owned()
    } else {
        joined(event, remark)
    };
    rows.extend(row(from, end, &condition, event, line));
    rows
}

/// The text before the first arrow: a name, optionally with an event.
fn before<'t>(text: &'t str, line: &TextLine) -> (&'t str, &'t str) {
    let text = text.trim();
    let pair = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|inner| inner.split_once(','));
    if let Some((name, event)) = pair.or_else(|| text.split_once(" + ")) {
        return (name, trimmed(event));
    }
    if let Some((event, name)) = text.rsplit_once(": ") {
        return (name, trimmed(event));
    }
    if let Some((name, event)) = text.split_once(" --").filter(|(name, _)| !name.is_empty()) {
        return (name, trimmed(event));
    }
    divided(text, line)
}

/// Splits a text into a name and the remark after it.
fn divided<'t>(text: &'t str, line: &TextLine) -> (&'t str, &'t str) {
    let text = text.trim();
    let from = line
        .codes
        .iter()
        .find(|code| text.starts_with(&*code.text) && !code.text.is_empty())
        .map_or(0, |code| code.text.len());
    let rest = text.get(from..).unwrap_or_default();
    let at = words("states", "after")
        .filter_map(|word| Some((rest.find(word)?, word.len())))
        .min();
    match at {
        Some((at, _)) => {
            let (name, rest) = text.split_at_checked(from + at).unwrap_or((text, ""));
            // The mark describes the state rather than the transition.
            if after_initial(rest).or_else(|| after_final(rest)).is_some() {
                return (text, "");
            }
            (name.trim_end_matches([',', ' ']), trimmed(rest))
        }
        None => (text, ""),
    }
}

fn joined(event: &str, rest: &str) -> String {
    match (event, rest) {
        (event, "") => event.to_owned(),
        ("", rest) => rest.to_owned(),
        (event, rest) => format!("{event} [{rest}]"),
    }
}

/// The text of an event or a condition, without surrounding punctuation.
fn trimmed(text: &str) -> &str {
    let text = text.trim().trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '—' | '–' | '-' | ',' | ';' | '.')
    });
    let text = ["on ", "upon ", "by "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text);
    let inner = text
        .strip_prefix(['(', '['])
        .and_then(|rest| rest.strip_suffix([')', ']']));
    inner
        .filter(|inner| !inner.contains(['(', '[']))
        .unwrap_or(text)
        .trim()
}

fn row(from: Named, to: &str, condition: &str, event: &str, line: &TextLine) -> Option<Row> {
    let to = of_text(
        to.trim_end_matches(['.', '!']),
        line.span,
        TransitionEnd::To,
    );
    let is_short = |named: &Named| match named {
        Named::States(names) => names.iter().all(StateName::is_short),
        Named::Nothing => false,
        _ => true,
    };
    if !is_short(&from) || !is_short(&to) {
        return None;
    }
    let codes = line
        .codes
        .iter()
        .map(|code| &*code.text)
        .filter(|code| event.contains(code));
    let events = events(condition, event, codes);
    Some(Row {
        from,
        to,
        condition: condition.to_owned(),
        events,
        span: line.span,
        whole: line.span,
    })
}
