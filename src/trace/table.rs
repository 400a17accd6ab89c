//! A dialogue as a table, for people.

use unicode_width::UnicodeWidthStr;

use super::columns::aligned;
use crate::diagnostic::escape_control;
use crate::engine::{Change, RecordView};

/// The widest a column with another behind it may be, in terminal cells.
const WIDEST: usize = 44;
/// The titles of the columns.
pub const TITLES: [&str; 7] = ["turn", "input", "state", "phase", "action", "class", "why"];

/// A dialogue as rows of text, one a turn, with aligned columns.
#[derive(Debug, Default)]
pub struct TraceTable {
    rows: Vec<[String; 7]>,
}

impl TraceTable {
    /// Adds a turn.
    pub fn push(&mut self, line: &RecordView<'_>) {
        let Some(outcome) = &line.record.outcome else {
            return;
        };
        let input = &line.scripted.input;
        let goto = input.goto.as_ref().map(|state| state.text(&line.machine.names.states));
        let said = input_cell(input.say.as_deref(), line.intent(), goto);
        let Change { from, to } = line.states(outcome);
        self.rows.push([
            line.record.turn.to_string(),
            said,
            step_cell(from, to),
            line.phases(outcome).to.unwrap_or("-").to_owned(),
            line.action(outcome.action).to_owned(),
            outcome.class.name().to_owned(),
            line.why().join(", "),
        ]);
    }

    /// The table as text.
    pub fn render(&self) -> String {
        let shown = self.rows.iter().map(|row| {
            let [inner @ .., why] = row.each_ref().map(|cell| escape_control(cell));
            let [turn, input, state, phase, action, class] = inner.map(|cell| shorten(&cell));
            [turn, input, state, phase, action, class, why]
        });
        let rows: Vec<[String; 7]> = std::iter::once(TITLES.map(str::to_owned)).chain(shown).collect();
        aligned(&rows, TITLES.len())
    }
}

/// What went in: what was said, what was meant, where it was to lead.
pub fn input_cell(say: Option<&str>, meant: Option<&str>, goto: Option<&str>) -> String {
    [say, meant, goto].into_iter().flatten().collect::<Vec<_>>().join(" / ")
}

/// A place before and after a turn.
pub fn step_cell(from: &str, to: &str) -> String {
    if from == to { to.to_owned() } else { format!("{from} -> {to}") }
}

/// A cell that is too wide, cut with an ellipsis.
pub fn shorten(cell: &str) -> String {
    if cell.width() <= WIDEST {
        return cell.to_owned();
    }
    let mut short = String::new();
    for c in cell.chars() {
        if short.width() + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) >= WIDEST {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}
