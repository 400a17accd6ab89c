//! The completion context of a cursor in a Markdown state: front matter, a heading, or the name of a state. Other text
//! has no context.

use std::ops::Range;

use super::cursor_context::CursorContext;
use crate::limits::MAX_TABLE_ROWS;
use fsmsim_runtime::project::{is_after_arrow, is_in_transitions, target_column};
use fsmsim_syntax::document::front_of;

/// The start of a tool call that names a state.
const CALL: &str = "get_instruction(";

/// The context of a cursor in Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkdownCursor {
    /// In the front matter, with its YAML context.
    Front(CursorContext),
    /// After the `#` characters of a heading.
    Heading {
        /// The text to replace: the rest of the line.
        rest: Range<usize>,
        /// The number of `#` characters.
        level: usize,
    },
    /// At the name of a state.
    Target {
        /// The word at the cursor.
        word: Range<usize>,
        /// Whether the name already has backticks, or needs none.
        is_quoted: bool,
    },
}

impl MarkdownCursor {
    /// The context at an offset; `None` in prose.
    pub(super) fn of(text: &str, offset: usize) -> Option<Self> {
        let before = text.get(..offset)?;
        if let Some(front) =
            front_range(text).filter(|front| (front.start..=front.end).contains(&offset))
        {
            let inside = text.get(front.clone())?;
            let mut context = CursorContext::of(inside, offset.checked_sub(front.start)?)?;
            context.word = context.word.start + front.start..context.word.end + front.start;
            return (offset < front.end || inside.is_empty() || !inside.ends_with('\n'))
                .then_some(Self::Front(context));
        }
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(start..)?.lines().next().unwrap_or_default();
        let typed = text.get(start..offset)?;
        let word = word_at(text, offset);
        if typed
            .rfind(CALL)
            .is_some_and(|at| !typed.get(at..).is_some_and(|rest| rest.contains(')')))
        {
            return Some(Self::Target {
                word,
                is_quoted: true,
            });
        }
        let above = text.get(..start)?;
        if above.lines().filter(|line| is_fence(line)).count() % 2 == 1 {
            return None;
        }
        let level = line.len() - line.trim_start_matches('#').len();
        if (1..=6).contains(&level) {
            return (typed.len() >= level).then(|| Self::Heading {
                rest: start + level..start + line.len(),
                level,
            });
        }
        let is_quoted = typed.matches('`').count() % 2 == 1;
        let head = text
            .get(start..word.start)?
            .trim_end_matches(['`', ' ', '*', '[', '«']);
        let is_target = is_after_arrow(head)
            || is_in_transitions(above)
                && (is_target_cell(above, typed) || is_item(line) && is_quoted);
        is_target.then_some(Self::Target { word, is_quoted })
    }
}

/// The range of the front matter. If it has no end marker, the rest of the text.
fn front_range(text: &str) -> Option<Range<usize>> {
    let open = text
        .lines()
        .next()
        .filter(|line| line.trim_end() == "---")?;
    let closed = front_of(text).map(|(front, _)| front);
    closed.or_else(|| {
        text.get(open.len() + 1..)
            .map(|rest| text.len() - rest.len()..text.len())
    })
}

/// Whether the table cell at the cursor is in the column for the next state.
fn is_target_cell(above: &str, typed: &str) -> bool {
    if !typed.contains('|') {
        return false;
    }
    let rows: Vec<&str> = above
        .lines()
        .rev()
        .take(MAX_TABLE_ROWS)
        .take_while(|line| line.contains('|'))
        .collect();
    // The cursor must be below the header and its separator line.
    let Some(header) = rows.last().filter(|_| rows.len() > 1) else {
        return false;
    };
    let cells: Vec<&str> = header
        .trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect();
    let bars = typed.replace("\\|", "").matches('|').count();
    let column = if typed.trim_start().starts_with('|') {
        bars.checked_sub(1)
    } else {
        Some(bars)
    };
    column.is_some() && target_column(&cells) == column
}

/// Whether a line starts a list item.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+'])
        || numbered.len() < line.len() && numbered.starts_with(['.', ')'])
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

/// The word around an offset.
fn word_at(text: &str, offset: usize) -> Range<usize> {
    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.');
    let before = text.get(..offset).unwrap_or_default();
    let after = text.get(offset..).unwrap_or_default();
    let end = after
        .find(|character| !is_part(character))
        .unwrap_or(after.len());
    before.trim_end_matches(is_part).len()..offset + end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The context at `‸`.
    fn at(text: &str) -> Option<MarkdownCursor> {
        let offset = text.find('‸').unwrap();
        MarkdownCursor::of(&text.replacen('‸', "", 1), offset)
    }

    #[test]
    fn states_are_completed_only_as_transition_targets() {
        let table = "# State: a\n\n## Transitions\n| Condition | Next state |\n|---|---|\n";
        for (text, quoted) in [
            (format!("{table}| x | ‸ |\n"), false),
            (format!("{table}| x | `br‸` |\n"), true),
            ("## Переходы\n- Готово → ‸".to_owned(), false),
            ("## Переходы\n- Готово → `‸`".to_owned(), true),
            ("## Transitions\n### More\n1. `‸`".to_owned(), true),
            ("## Steps\nGo on -> br‸".to_owned(), false),
            (
                "**LLM:** [calls get_instruction(state: \"‸\")]".to_owned(),
                true,
            ),
        ] {
            let Some(MarkdownCursor::Target { is_quoted, .. }) = at(&text) else {
                panic!("{text}")
            };
            assert_eq!(is_quoted, quoted, "{text}");
        }
        for text in [
            format!("{table}| ‸ | `brew` |\n"),
            "## Transitions\n| Condition | Next ‸state |\n".to_owned(),
            "## Transitions\n- When ‸ → `brew`".to_owned(),
            "## Steps\n1. Ask `‸`".to_owned(),
            "## Goal\nAsk ‸".to_owned(),
            "```\n# ‸\n```".to_owned(),
            "‸".to_owned(),
        ] {
            assert_eq!(at(&text), None, "{text}");
        }
    }

    #[test]
    fn headings_differ_from_front_matter() {
        assert_eq!(
            at("# State: a\n\n##‸"),
            Some(MarkdownCursor::Heading {
                rest: 14..14,
                level: 2
            })
        );
        assert_eq!(
            at("## Go‸"),
            Some(MarkdownCursor::Heading {
                rest: 2..5,
                level: 2
            })
        );
        let Some(MarkdownCursor::Front(context)) = at("---\nreads: [ta‸]\n---\n# State: a\n")
        else {
            panic!()
        };
        assert_eq!(
            (context.path, context.word, context.may_be_value),
            (vec!["reads".to_owned()], 12..14, true)
        );
        assert!(
            matches!(at("---\nwri‸"), Some(MarkdownCursor::Front(context)) if context.may_be_key)
        );
        assert_eq!(at("---\nfinal: true\n---\nText ‸"), None);
    }
}
