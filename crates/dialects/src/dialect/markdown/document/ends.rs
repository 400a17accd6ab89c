//! Finds the initial and final states that the text of a document names.

use super::names::{
    Named, StateName, TransitionEnd, after_final, after_initial, before_remark, of_prose, of_text,
};
use super::outline::{Outline, PieceKind};
use crate::dialect::markdown::moves::Columns;
use crate::dialect::markdown::words::words;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{MarkdownTable, Prose};

/// Separators between "initial state" and the name.
const BETWEEN: [&str; 7] = [":", "—", "–", "-", "=", "is ", "are "];

/// The initial and final states that the text of a document names.
#[derive(Debug, Default)]
pub(super) struct SaidEnds {
    /// The names of initial states.
    pub initial: Vec<StateName>,
    /// The names of final states.
    pub finals: Vec<StateName>,
}

impl SaidEnds {
    /// Collects the names from the lines and titles of a document.
    pub(super) fn of(outline: &Outline<'_>) -> Self {
        let mut said = Self::default();
        let mut seen = None;
        for piece in &outline.pieces {
            let title = outline.title(piece);
            if let Some(title) = title.filter(|_| seen != piece.title) {
                said.take(&title.text, title.span);
            }
            seen = piece.title;
            let PieceKind::Line(line) = &piece.kind else {
                continue;
            };
            said.take(&line.text, line.span);
            let Some(title) = title else { continue };
            // A name below a heading "Initial state".
            if let Some(list) = said.spoken_of(&title.text, |rest| rest.trim().is_empty()) {
                let name = before_remark(&line.text).unwrap_or(&line.text);
                list.extend(names(name, line.span));
            }
            // "Final state." in the section of a state.
            let is_alone = |rest: &str| rest.chars().all(|c| !c.is_alphanumeric());
            for sentence in line.text.split(". ") {
                if let Some(list) = said.spoken_of(sentence, is_alone) {
                    list.extend(title.names.iter().flat_map(|name| names(name, line.span)));
                }
            }
        }
        said
    }

    /// The list that a text refers to: initial or final states. `accepts_rest` must accept the text after the keyword.
    fn spoken_of(
        &mut self,
        text: &str,
        accepts_rest: impl Fn(&str) -> bool,
    ) -> Option<&mut Vec<StateName>> {
        if after_initial(text).is_some_and(&accepts_rest) {
            Some(&mut self.initial)
        } else if after_final(text).is_some_and(accepts_rest) {
            Some(&mut self.finals)
        } else {
            None
        }
    }

    /// Reads "Initial state: name" and "name (initial)".
    fn take(&mut self, text: &str, span: Span) {
        if let Some(rest) = after_initial(text).and_then(after_separator) {
            self.initial.extend(names(rest, span));
        } else if let Some(rest) = after_final(text).and_then(after_separator) {
            self.finals.extend(names(rest, span));
        } else if let Some(at) = [" (", " [", " — ", " – ", " - ", ": "]
            .iter()
            .filter_map(|mark| text.find(mark))
            .min()
        {
            let (name, remark) = text.split_at_checked(at).unwrap_or((text, ""));
            if let Some(list) = self.spoken_of(remark, |_| true) {
                list.extend(names(name, span));
            }
        }
    }

    /// The names in a table of states, and the initial and final states in its other columns.
    pub(super) fn of_list(table: &MarkdownTable, columns: &Columns) -> (Vec<StateName>, Self) {
        let mut listed = Vec::new();
        let mut said = Self::default();
        for row in &table.rows {
            let cell = columns.state.and_then(|at| row.get(at));
            let Some(Named::States(names)) = cell.map(|cell| of_prose(cell, TransitionEnd::From))
            else {
                continue;
            };
            let says = |after: fn(&str) -> Option<&str>| {
                row.iter()
                    .zip(&table.header)
                    .enumerate()
                    .any(|(at, (cell, header))| {
                        columns.state != Some(at)
                            && (after(&cell.text).is_some() || ticked(cell, header, after))
                    })
            };
            if says(after_initial) {
                said.initial.extend_from_slice(&names);
            }
            if says(after_final) {
                said.finals.extend_from_slice(&names);
            }
            listed.extend(names);
        }
        (listed, said)
    }

    /// Adds the names of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        self.initial.extend_from_slice(&other.initial);
        self.finals.extend_from_slice(&other.finals);
    }
}

/// Whether a cell contains a check mark in a column for initial or final states.
fn ticked(cell: &Prose, header: &Prose, after: fn(&str) -> Option<&str>) -> bool {
    let text = cell.trimmed().to_lowercase();
    after(&header.text).is_some() && words("states", "ticked").any(|word| word == text)
}

/// The text after a colon or a similar separator.
fn after_separator(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', ')', '*', '_', 's']);
    BETWEEN
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))
        .filter(|rest| !rest.trim().is_empty())
}

fn names(text: &str, span: Span) -> Vec<StateName> {
    // The name ends with the sentence.
    let text = text.split(". ").next().unwrap_or_default();
    let text = text.replace(" and ", ", ").replace(" и ", ", ");
    let named = of_text(text.trim_end_matches('.'), span, TransitionEnd::From);
    named.names().to_vec()
}
