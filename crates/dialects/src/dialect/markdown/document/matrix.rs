//! Tables with states as rows, events as columns, and target states in the cells.

use rustc_hash::FxHashSet;

use super::names::{Named, StateName, TransitionEnd, of_prose};
use super::row::{Row, events};
use crate::dialect::markdown::moves::{Columns, span_of};
use crate::dialect::markdown::plain::{fold, line};
use crate::dialect::markdown::words::{Column, column};
use fsmsim_syntax::document::{MarkdownTable, Prose};

/// A table of states and events.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// The transitions in the cells.
    pub rows: Vec<Row>,
    /// The source states of the rows.
    pub listed: Vec<StateName>,
}

/// The result of reading a table as a matrix.
#[derive(Debug)]
pub(super) enum MatrixReading<'m> {
    /// The table is a matrix.
    Matrix(Matrix),
    /// Most cells name source states of rows, but this cell does not.
    Almost(&'m Prose),
    /// The table is not a matrix.
    Other,
}

impl Matrix {
    /// Interprets a table. It is a matrix only if no other interpretation is possible. No column header means an event,
    /// a guard or a next state. At least two columns follow the states, and their names are not states. Each cell is
    /// empty, means "no change", or names states of the rows; at least two cells name one.
    pub(super) fn of(table: &MarkdownTable) -> MatrixReading<'_> {
        let names_column = table.header.iter().skip(1).any(|cell| {
            column(cell.trimmed())
                .is_some_and(|known| !matches!(known, Column::Stage | Column::Other))
        });
        let corner = table.header.first().map_or("", Prose::trimmed);
        // The corner cell can name rows and columns: `State / Event`.
        let is_corner = corner.is_empty()
            || corner.contains(['/', '\\', '|', '↓', '→'])
            || matches!(column(corner), Some(Column::State | Column::Stage));
        let takes_next = Columns::of(table).next.is_some();
        if table.header.len() < 3
            || table.rows.len() < 2
            || names_column
            || !is_corner
            || takes_next
        {
            return MatrixReading::Other;
        }
        let states: Vec<(Named, &[Prose])> = table
            .rows
            .iter()
            .filter_map(|row| row.split_first())
            .map(|(state, cells)| (of_prose(state, TransitionEnd::From), cells))
            .collect();
        let known: FxHashSet<String> = states
            .iter()
            .flat_map(|(from, _)| from.names())
            .map(StateName::folded)
            .collect();
        let is_state = |name: &StateName| known.contains(&name.folded());
        let headings: Vec<&Prose> = table.header.iter().skip(1).collect();
        let named = headings
            .iter()
            .any(|cell| known.contains(&fold(cell.trimmed())) || cell.trimmed().is_empty());
        if named
            || states
                .iter()
                .any(|(from, _)| matches!(from, Named::Nothing | Named::Same | Named::Before))
        {
            return MatrixReading::Other;
        }
        let mut matrix = Self::default();
        let mut transition_count = 0_usize;
        let mut others = Vec::new();
        for ((from, cells), row) in states.iter().zip(&table.rows) {
            matrix.listed.extend_from_slice(from.names());
            for (cell, heading) in cells.iter().zip(&headings) {
                let to = match of_prose(cell, TransitionEnd::To) {
                    // A dash means that the event has no transition.
                    to if is_empty_cell(cell) || to == Named::Nothing => continue,
                    to @ (Named::Same | Named::Before) => to,
                    to if !to.names().is_empty() && to.names().iter().all(is_state) => {
                        transition_count += 1;
                        to
                    }
                    _ => {
                        others.push(cell);
                        continue;
                    }
                };
                let event = line(heading);
                let codes = heading.codes.iter().map(|code| &*code.text);
                matrix.rows.push(Row {
                    from: from.clone(),
                    to,
                    events: events(&event, &event, codes),
                    condition: event,
                    span: cell.span,
                    whole: span_of(row).unwrap_or(table.span),
                });
            }
        }
        match others.first() {
            _ if transition_count < 2 => MatrixReading::Other,
            None => MatrixReading::Matrix(matrix),
            Some(cell) if transition_count > others.len() => MatrixReading::Almost(cell),
            Some(_) => MatrixReading::Other,
        }
    }
}

/// Whether a cell is empty or contains only a dash.
fn is_empty_cell(cell: &Prose) -> bool {
    cell.trimmed()
        .chars()
        .all(|c| !c.is_alphanumeric() && !matches!(c, '*' | '●' | '◉' | '∅'))
}
