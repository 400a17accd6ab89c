//! The columns of a table of transitions, by the contents of their cells.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;

use super::names::{StateName, TransitionEnd, of_prose};
use crate::dialect::markdown::moves::Columns;
use crate::dialect::markdown::words::{Column, column};
use fsmsim_syntax::document::MarkdownTable;

/// The minimum number of rows of a table whose header names no column of states.
const MIN_ROWS: usize = 2;

/// Whether the header names one column for source states and one for target states.
pub(super) fn is_named(table: &MarkdownTable, columns: &Columns) -> bool {
    let is_single = |wanted| {
        let header = table.header.iter();
        let columns = header.filter(|cell| column(cell.trimmed()) == Some(wanted));
        columns.count() <= 1
    };
    let is_complete = columns.state.is_some() && columns.next.is_some();
    is_complete && is_single(Column::State) && is_single(Column::Next)
}

/// The columns of a table whose header does not decide. One column has names. Another has names from the first one, or
/// from a diagram (`drawn`). Returns `None` if several pairs of columns fit.
///
/// In `| De | Vers |` with the rows `new | open` and `open | closed`, the target `open` is a source, too.
pub(super) fn by_content(table: &MarkdownTable, drawn: &FxHashSet<String>) -> Option<Columns> {
    // The columns with names, and whether the header confirms this.
    let named = |side, wanted: [Column; 2]| -> Vec<(usize, usize, FxHashSet<String>)> {
        let columns = table.header.iter().enumerate();
        let named = columns.filter_map(|(at, cell)| {
            let confirmed = match column(cell.trimmed()) {
                Some(Column::Event | Column::Guard | Column::Action | Column::Other) => None,
                role => Some(usize::from(role.is_some_and(|role| wanted.contains(&role)))),
            };
            Some((at, confirmed?, names(table, at, side)?))
        });
        named.collect()
    };
    let targets = named(TransitionEnd::To, [Column::Next, Column::Outcome]);
    let mut pairs = Vec::new();
    for (state, by_header, left) in named(TransitionEnd::From, [Column::State, Column::Stage]) {
        let is_drawn = drawn.is_empty() || left.iter().any(|name| drawn.contains(name));
        for (next, confirmed, reached) in targets.iter().filter(|target| target.0 != state) {
            let is_shared = |name: &&String| left.contains(*name) || drawn.contains(*name);
            let shared = reached.iter().filter(is_shared).count();
            let confirmed = by_header + confirmed;
            let fits = match confirmed {
                2 => true,
                1 => is_drawn && shared > 0,
                // Without a header, the sources come first.
                _ => {
                    let is_clear = shared * 2 >= reached.len() && table.rows.len() >= MIN_ROWS;
                    is_clear && is_drawn && state < *next
                }
            };
            pairs.extend(fits.then_some((confirmed, shared, state, *next)));
        }
    }
    pairs.sort_by_key(|(confirmed, shared, ..)| Reverse((*confirmed, *shared)));
    let (confirmed, _, state, next) = *pairs.first()?;
    let is_only = pairs.get(1).is_none_or(|other| other.0 < confirmed);
    (confirmed == 2 || is_only).then(|| Columns::between(table, Some(state), Some(next)))
}

/// The names in a column. Returns `None` if it has none, or if a cell contains a sentence.
fn names(table: &MarkdownTable, at: usize, side: TransitionEnd) -> Option<FxHashSet<String>> {
    let mut names = FxHashSet::default();
    for row in &table.rows {
        let cell = of_prose(row.get(at)?, side);
        if !cell.names().iter().all(StateName::is_short) {
            return None;
        }
        names.extend(cell.names().iter().map(StateName::folded));
    }
    (!names.is_empty()).then_some(names)
}
