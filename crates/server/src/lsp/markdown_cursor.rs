//! What is meant where a cursor stands in a markdown state: the front matter, a heading, the place of a state; in all other text
//! nothing is.

use std::ops::Range;

use super::cursor_context::CursorContext;
use crate::limits::MAX_TABLE_ROWS;
use fsmsim_runtime::project::{is_behind_arrow, is_in_transitions, target_column};
use fsmsim_syntax::document::front_of;

/// How a call of the one tool begins.
const CALL: &str = "get_instruction(";

/// Where a cursor stands in markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkdownCursor {
    /// In the front matter, with what is meant there.
    Front(CursorContext),
    /// Behind the marks of a heading; from there to the end of the line.
    Heading {
        /// What is replaced.
        rest: Range<usize>,
        /// How many marks there are.
        level: usize,
    },
    /// Where a state is named.
    Target {
        /// The word that is being typed.
        word: Range<usize>,
        /// Whether it has its backticks, or needs none.
        is_quoted: bool,
    },
}

impl MarkdownCursor {
    /// Where an offset of a text is; nothing in prose.
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
        let is_target = is_behind_arrow(head)
            || is_in_transitions(above)
                && (is_target_cell(above, typed) || is_item(line) && is_quoted);
        is_target.then_some(Self::Target { word, is_quoted })
    }
}

/// Where the front matter stands; without its end, all of what follows.
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

/// Whether a cell of a row of a table, typed so far, is one for the next state.
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
    // Below the header and the line under it.
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

/// Whether a line begins an item of a list.
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
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let (before, behind) = (
        text.get(..offset).unwrap_or_default(),
        text.get(offset..).unwrap_or_default(),
    );
    let end = behind
        .find(|letter| !is_part(letter))
        .unwrap_or(behind.len());
    before.trim_end_matches(is_part).len()..offset + end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is meant at `‸`.
    fn at(text: &str) -> Option<MarkdownCursor> {
        let offset = text.find('‸').unwrap();
        MarkdownCursor::of(&text.replacen('‸', "", 1), offset)
    }

    #[test]
    fn states_are_meant_where_moves_lead_and_nowhere_else() {
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
    fn headings_and_front_matter_are_told_apart() {
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
