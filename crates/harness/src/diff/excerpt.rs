//! The turns around a difference, as rows of a table.

use super::divergence::{ComparedStep, Divergence};
use super::sides::{DiffSide, Sides};
use fsmsim_core::trace::{TurnReport, input_cell, step_cell};

/// The turns around a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub rows: Vec<ExcerptRow>,
    /// The number of omitted turns before the first row.
    pub earlier: usize,
    /// The number of omitted turns after the last row.
    pub later: usize,
}

/// A turn as table cells: `turn`, `input`, `state`, `phase`, `action`, `class`, `why`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptRow {
    /// The dialogue that the turn belongs to; `None` if the turn is the same in both dialogues.
    pub side: Option<DiffSide>,
    pub cells: [String; 7],
    /// The first field that differs, with its value, if the cells of both dialogues are equal.
    pub field: Option<String>,
}

impl Divergence {
    /// The step that differs, with at most `context` steps before and after it.
    pub fn excerpt(&self, context: usize) -> Excerpt {
        let (earlier, before) = &self.before;
        let (later, after) = &self.after;
        let omitted = before.len().saturating_sub(context);
        let steps = before.iter().skip(omitted).chain([&self.step]);
        let steps = steps.chain(after.iter().take(context));
        Excerpt {
            rows: steps.flat_map(rows).collect(),
            earlier: earlier + omitted,
            later: later + after.len().saturating_sub(context),
        }
    }
}

/// The row of a step, or one row for each dialogue if the step differs.
fn rows(step: &ComparedStep) -> Vec<ExcerptRow> {
    let Sides { a, b } = step.turns.as_ref().map(Option::as_ref);
    if let (Some(a), Some(_), []) = (a, b, &*step.fields) {
        return vec![row(None, a)];
    }
    let a = a.map(|turn| row(Some(DiffSide::A), turn));
    let b = b.map(|turn| row(Some(DiffSide::B), turn));
    let mut rows: Vec<ExcerptRow> = a.into_iter().chain(b).collect();
    // The numbers of equal turns can differ.
    let is_equal = rows
        .iter()
        .zip(rows.iter().skip(1))
        .all(|(a, b)| a.cells.iter().skip(1).eq(b.cells.iter().skip(1)));
    if let Some(field) = step.fields.first().filter(|_| is_equal) {
        let Sides { a, b } = field.texts();
        for (row, value) in rows.iter_mut().zip([a, b]) {
            let value = value.as_deref().unwrap_or("none");
            row.field = Some(format!("{}: {value}", field.field));
        }
    }
    rows
}

fn row(side: Option<DiffSide>, turn: &TurnReport) -> ExcerptRow {
    let read_as = || {
        turn.answers
            .iter()
            .find_map(|answer| answer.pointer("/answer/intent")?.as_str())
    };
    let meant = turn.meant().or_else(read_as);
    let cells = [
        turn.turn.to_string(),
        input_cell(turn.given("say"), meant, turn.given("goto")),
        step_cell(
            turn.state.from.as_deref().unwrap_or(turn.state()),
            turn.state(),
        ),
        turn.phase.to.clone().unwrap_or_else(|| "-".to_owned()),
        turn.action.clone().unwrap_or_else(|| "-".to_owned()),
        turn.class.clone().unwrap_or_else(|| "-".to_owned()),
        turn.why.join(", "),
    ];
    ExcerptRow {
        side,
        cells,
        field: None,
    }
}
