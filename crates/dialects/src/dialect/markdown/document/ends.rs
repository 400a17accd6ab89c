//! Where the words of a document say that dialogues start and end.

use super::names::{
    Named, StateName, TransitionEnd, before_remark, behind_final, behind_initial, of_prose, of_text,
};
use super::outline::{Outline, PieceKind, TextLine};
use crate::dialect::markdown::moves::Columns;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{MarkdownTable, Prose};

/// What is written in a cell under "Initial" or "Final".
const YES: [&str; 12] = [
    "yes", "y", "x", "true", "да", "✓", "✔", "✔️", "✅", "+", "1", "v",
];

/// What stands between "initial state" and its name.
const BETWEEN: [&str; 7] = [":", "—", "–", "-", "=", "is ", "are "];

/// What the words of a document say.
#[derive(Debug, Default)]
pub(super) struct SaidEnds {
    /// Where dialogues start, each name with its place.
    pub(super) initial: Vec<StateName>,
    /// Where they end.
    pub(super) finals: Vec<StateName>,
}

impl SaidEnds {
    /// What the lines and the titles of a document say.
    pub(super) fn of(outline: &Outline<'_>) -> Self {
        let mut said = Self::default();
        let mut seen = None;
        for piece in &outline.pieces {
            let title = piece.title.and_then(|at| outline.title(at));
            if let Some(title) = title.filter(|_| seen != piece.title) {
                said.take(&title.text, title.span);
            }
            seen = piece.title;
            let PieceKind::Line(line) = &piece.kind else {
                continue;
            };
            said.take(&line.text, line.span);
            // A name below a heading "Initial state".
            if let Some(title) = title {
                let below = |rest: Option<&str>| rest.is_some_and(|rest| rest.trim().is_empty());
                if below(behind_initial(&title.text)) {
                    said.initial.extend(names(line_name(line), line.span));
                } else if below(behind_final(&title.text)) {
                    said.finals.extend(names(line_name(line), line.span));
                }
                // "Final state." in the section of a state.
                let alone = |rest: Option<&str>| {
                    rest.is_some_and(|rest| rest.chars().all(|c| !c.is_alphanumeric()))
                };
                for sentence in line.text.split(". ") {
                    if alone(behind_initial(sentence)) {
                        said.initial
                            .extend(title.names.iter().flat_map(|name| names(name, line.span)));
                    } else if alone(behind_final(sentence)) {
                        said.finals
                            .extend(title.names.iter().flat_map(|name| names(name, line.span)));
                    }
                }
            }
        }
        said
    }

    /// "Initial state: name", and "name (initial)".
    fn take(&mut self, text: &str, span: Span) {
        if let Some(rest) = behind_initial(text).and_then(behind_mark) {
            self.initial.extend(names(rest, span));
        } else if let Some(rest) = behind_final(text).and_then(behind_mark) {
            self.finals.extend(names(rest, span));
        } else if let Some(at) = [" (", " [", " — ", " – ", " - ", ": "]
            .iter()
            .filter_map(|mark| text.find(mark))
            .min()
        {
            let (name, remark) = text.split_at_checked(at).unwrap_or((text, ""));
            if behind_initial(remark).is_some() {
                self.initial.extend(names(name, span));
            } else if behind_final(remark).is_some() {
                self.finals.extend(names(name, span));
            }
        }
    }

    /// The names in a table of states, and what its other columns say of them.
    pub(super) fn of_list(table: &MarkdownTable, columns: &Columns) -> (Vec<StateName>, Self) {
        let (mut listed, mut said) = (Vec::new(), Self::default());
        for row in &table.rows {
            let Some(Named::States(names)) = columns
                .state
                .and_then(|at| row.get(at))
                .map(|cell| of_prose(cell, TransitionEnd::From))
            else {
                continue;
            };
            let says = |behind: fn(&str) -> Option<&str>| {
                row.iter()
                    .zip(&table.header)
                    .enumerate()
                    .any(|(at, (cell, header))| {
                        columns.state != Some(at)
                            && (behind(&cell.text).is_some() || ticked(cell, header, behind))
                    })
            };
            if says(behind_initial) {
                said.initial.extend(names.iter().cloned());
            }
            if says(behind_final) {
                said.finals.extend(names.iter().cloned());
            }
            listed.extend(names);
        }
        (listed, said)
    }

    /// Adds what something else says.
    pub(super) fn extend(&mut self, other: Self) {
        self.initial.extend(other.initial);
        self.finals.extend(other.finals);
    }
}

/// Whether a cell ticks what its header says.
fn ticked(cell: &Prose, header: &Prose, behind: fn(&str) -> Option<&str>) -> bool {
    behind(&header.text).is_some() && YES.contains(&&*cell.trimmed().to_lowercase())
}

fn line_name(line: &TextLine) -> &str {
    before_remark(&line.text).unwrap_or(&line.text)
}

/// What stands behind a colon, or the like.
fn behind_mark(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', ')', '*', '_', 's']);
    BETWEEN
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
        .filter(|rest| !rest.trim().is_empty())
}

fn names(text: &str, span: Span) -> Vec<StateName> {
    // What the next sentence says is no name.
    let text = text.split(". ").next().unwrap_or_default();
    match of_text(
        text.replace(" and ", ", ")
            .replace(" и ", ", ")
            .trim_end_matches('.'),
        span,
        TransitionEnd::From,
    ) {
        Named::States(names) => names,
        _ => Vec::new(),
    }
}
