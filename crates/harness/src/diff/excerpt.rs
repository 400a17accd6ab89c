//! The turns around a difference, as rows of a table.

use super::sides::{DiffSide, Sides};
use super::turn_alignment::AlignedTurns;
use fsmsim_core::trace::{TurnReport, input_cell, step_cell};

/// A turn as table cells: `turn`, `input`, `state`, `phase`, `action`, `class`, `why`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcerptRow {
    /// The dialogue that the turn belongs to; `None` if the turn is the same in both dialogues.
    pub side: Option<DiffSide>,
    pub cells: [String; 7],
}

/// Converts steps of an alignment to rows. `differs` returns whether the turns of a step differ.
pub(super) fn excerpt(
    steps: &[AlignedTurns<'_>],
    differs: &dyn Fn(Sides<&TurnReport>) -> bool,
) -> Vec<ExcerptRow> {
    let mut rows = Vec::new();
    for turns in steps {
        match turns.both() {
            Some(both) if !differs(both) => rows.push(row(None, both.a)),
            _ => {
                rows.extend(turns.a.map(|turn| row(Some(DiffSide::A), turn)));
                rows.extend(turns.b.map(|turn| row(Some(DiffSide::B), turn)));
            }
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
    ExcerptRow { side, cells }
}
