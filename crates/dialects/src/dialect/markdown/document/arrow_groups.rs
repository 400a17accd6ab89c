//! Transitions written as arrows: groups of lines, and cells of tables.

use rustc_hash::{FxHashMap, FxHashSet};

use super::arrows;
use super::names::StateName;
use super::outline::TextLine;
use super::row::{Row, events};
use crate::dialect::markdown::plain::line;
use crate::dialect::markdown::words::{Column, column};
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::MarkdownTable;

/// Whether the lines below a title describe one machine. Each line must share a state with another line, and some state
/// must be both a source and a target. Documents also use arrows for other purposes.
///
/// `A → B` and `B → C` are connected. `name → string` and `age → number` are not. Neither are `red → color` and
/// `blue → color`, because no state is both a source and a target.
pub(super) fn is_connected(rows: &[Row]) -> bool {
    let mut lines: FxHashMap<String, FxHashSet<Span>> = FxHashMap::default();
    for row in rows {
        for name in row.names() {
            lines.entry(name).or_default().insert(row.whole);
        }
    }
    let is_shared = |name: &String| lines.get(name).is_some_and(|lines| lines.len() > 1);
    let left: FxHashSet<String> = rows
        .iter()
        .flat_map(|row| row.from.names())
        .map(StateName::folded)
        .collect();
    let mut led_to = rows.iter().flat_map(|row| row.to.names());
    rows.iter()
        .all(|row| row.names().any(|name| is_shared(&name)))
        && led_to.any(|name| left.contains(&name.folded()) && is_shared(&name.folded()))
}

/// The number of transitions that other transitions continue.
pub(super) fn connected(rows: &[Row]) -> usize {
    let sources = rows.iter().flat_map(|row| row.from.names());
    let sources: FxHashSet<String> = sources.map(StateName::folded).collect();
    let is_continued = |name: &StateName| sources.contains(&name.folded());
    let rows = rows.iter();
    rows.filter(|row| row.to.names().iter().any(is_continued))
        .count()
}

/// The transitions in a table with arrows such as `a → b → c` in each cell of a column. The next cell has the
/// condition of the first transition. Single arrows must be connected, or below a header for transitions.
pub(super) fn branches(table: &MarkdownTable) -> Vec<Row> {
    let chains = |at: usize| {
        let mut rows = Vec::new();
        let mut are_chains = !table.rows.is_empty();
        for cells in &table.rows {
            let mut chain = arrows::rows(&TextLine::of(cells.get(at)?), None);
            are_chains &= chain.len() > 1;
            let name = cells
                .get(at + 1)
                .or(cells.first())
                .map(line)
                .unwrap_or_default();
            let first = chain.first_mut()?;
            if first.condition.is_empty() {
                first.events = events(&name, &name, std::iter::empty());
                first.condition = name;
            }
            rows.extend(chain);
        }
        let header = table.header.get(at)?.trimmed();
        let is_certain = are_chains || column(header) == Some(Column::Next);
        (is_certain || is_connected(&rows)).then_some(rows)
    };
    (0..table.header.len()).find_map(chains).unwrap_or_default()
}
