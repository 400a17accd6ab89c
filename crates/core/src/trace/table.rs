//! A dialogue as a human-readable table.

use unicode_width::UnicodeWidthStr;

use super::{ObservedRecord, RecordField, RecordedFields};
use crate::engine::{Change, RecordView};
use crate::limits::MAX_CELL_WIDTH;
use crate::machine::Value;
use fsmsim_syntax::terminal::{Joined, printable};

/// The titles of the columns.
pub const TITLES: [&str; 7] = ["turn", "input", "state", "phase", "action", "class", "why"];

/// A dialogue as rows of text, one per turn, with aligned columns.
#[derive(Debug, Default)]
pub struct TraceTable {
    rows: Vec<TableRow>,
}

/// A turn in a table.
#[derive(Debug)]
struct TableRow {
    cells: [String; 7],
    /// The class from the machine's registry, if it has one.
    registered: Option<String>,
}

/// The title of the column for registered classes, which is the second to last column.
const REGISTERED: &str = "contract_class";

impl TraceTable {
    /// Adds a turn.
    pub fn push(&mut self, line: &RecordView<'_>) {
        let Some(outcome) = &line.record.outcome else {
            return;
        };
        let input = &line.scripted.input;
        let goto = input
            .goto
            .as_ref()
            .map(|state| state.text(&line.machine.names.states));
        let said = input_cell(input.say.as_deref(), line.intent(), goto);
        let Change { from, to } = line.states(outcome);
        let registered = line.contract_class().map(str::to_owned);
        let cells = [
            line.record.turn.to_string(),
            said,
            step_cell(from, to),
            line.phases(outcome).to.unwrap_or("-").to_owned(),
            line.action(outcome.action).to_owned(),
            outcome.class.name().to_owned(),
            line.why().join(", "),
        ];
        self.rows.push(TableRow { cells, registered });
    }

    /// Adds a turn of an external system; an unreported value is shown as `-`.
    pub fn push_observed(&mut self, record: &ObservedRecord) {
        let text = |field| record.text(field).unwrap_or("-").to_owned();
        let said = record
            .get(RecordField::Input)
            .and_then(|input| input.get("say")?.as_text());
        let state = record.get(RecordField::State);
        let side = |side: &str| state.and_then(|state| state.get(side)?.as_text());
        let replies = record.get(RecordField::Replies).into_iter();
        let cells = [
            record.turn().to_string(),
            input_cell(said, record.intent(), None),
            side("to").map_or_else(
                || "-".to_owned(),
                |to| step_cell(side("from").unwrap_or(to), to),
            ),
            text(RecordField::Phase),
            text(RecordField::Action),
            text(RecordField::Class),
            replies.flat_map(Value::texts).joined(" / "),
        ];
        let registered = record.text(RecordField::ContractClass).map(str::to_owned);
        self.rows.push(TableRow { cells, registered });
    }

    /// The table as text. If any turn has a registered class, the table has a column for it.
    pub fn render(&self) -> String {
        let has_registry = self.rows.iter().any(|row| row.registered.is_some());
        let lay_out = |cells: [String; 7], registered: &str| {
            let mut cells = Vec::from(cells);
            if has_registry {
                cells.insert(cells.len().saturating_sub(1), registered.to_owned());
            }
            cells
        };
        let shown = self.rows.iter().map(|row| {
            let [inner @ .., why] = row.cells.each_ref().map(|cell| printable(cell));
            let [turn, input, state, phase, action, class] = inner.map(|cell| shorten(&cell));
            let registered = shorten(&printable(row.registered.as_deref().unwrap_or("-")));
            lay_out([turn, input, state, phase, action, class, why], &registered)
        });
        let titles = lay_out(TITLES.map(str::to_owned), REGISTERED);
        let rows: Vec<Vec<String>> = std::iter::once(titles).chain(shown).collect();
        aligned(&rows, TITLES.len() + 1)
    }
}

/// The input: the utterance, the intent and the target state.
pub fn input_cell(say: Option<&str>, intent: Option<&str>, goto: Option<&str>) -> String {
    [say, intent, goto].into_iter().flatten().joined(" / ")
}

/// The value before and after a turn.
pub fn step_cell(from: &str, to: &str) -> String {
    if from == to {
        to.to_owned()
    } else {
        format!("{from} -> {to}")
    }
}

/// The cell, truncated with an ellipsis if it is too wide.
pub fn shorten(cell: &str) -> String {
    if cell.width() <= MAX_CELL_WIDTH {
        return cell.to_owned();
    }
    let mut short = String::new();
    for c in cell.chars() {
        if short.width() + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) >= MAX_CELL_WIDTH
        {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

/// Rows of cells as aligned lines: the first `words` columns are left-aligned, the others right-aligned.
pub fn aligned(rows: &[impl AsRef<[String]>], words: usize) -> String {
    let cells = |column: usize| rows.iter().filter_map(move |row| row.as_ref().get(column));
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column: usize| cells(column).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.as_ref().iter().zip(&widths).enumerate() {
            let space = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) = if column < words {
                ("", &*space)
            } else {
                (&*space, "")
            };
            line.push_str(if column > 0 { "  " } else { "" });
            line.extend([before, cell, after]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
