//! Checks the dialogue of a system under test against a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::dialogue_verdict::DialogueVerdict;
use super::reachability::Reachability;
use super::replay::verify_replay;
use super::structure::verify_structure;
use super::verification::Mode;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedTurn};
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::{JsonLine, ObservedRecord, RecordField, read_json};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::diagnostic::{Diagnostics, Span};
use fsmsim_syntax::terminal::Joined;

/// The verdict on a dialogue of a system under test, given its records. The wording of replies is not compared. In
/// structure mode, turns with no recorded state are skipped.
pub fn verify_observed(
    machine: &Arc<Machine>,
    setup: &DialogueSetup,
    name: &str,
    records: &[ObservedRecord],
    mode: Mode,
) -> Result<DialogueVerdict, (u32, String)> {
    let lines: Vec<String> = records
        .iter()
        .map(|record| {
            let mut line = JsonLine::default();
            record.write(&mut line);
            line.into_string()
        })
        .collect();
    let start = BorrowedJson::from(&setup.start);
    let mut dialogue = ObservedDialogue {
        name,
        line: 1,
        profile: None,
        signals: None,
        start: (!start.is_null()).then_some(start),
        turns: Vec::with_capacity(lines.len()),
        not_checked: BTreeMap::new(),
    };
    for ((line, record), number) in lines.iter().zip(records).zip(1..) {
        let turn = read_json::<BorrowedJson<'_>>(line)
            .ok()
            .and_then(|tree| ObservedTurn::from_subject(tree, number));
        let is_checked = |turn: &ObservedTurn<'_>| {
            mode == Mode::Replay || turn.field(RecordField::State).is_some()
        };
        if let Some(mut turn) = turn.filter(is_checked) {
            turn.tells_some_data = record.tells_some_data;
            // Skipped turns exist, but nothing is known about them.
            let last = dialogue.turns.last().map_or(0, |last| last.number);
            turn.after_gap = mode == Mode::Structure && turn.number > last + 1;
            dialogue.turns.push(turn);
        }
    }
    match mode {
        Mode::Structure => {
            let reachability = Reachability::of(Arc::clone(machine));
            Ok(verify_structure(&reachability, &setup.settings, &dialogue))
        }
        Mode::Replay => {
            let mut found = Diagnostics::default();
            let mut place = |_| Span::NOWHERE;
            let verdict = verify_replay(machine, setup.clone(), &dialogue, &mut found, &mut place);
            verdict.map_err(|unplayable| {
                let reasons = found.items().iter().flat_map(|item| {
                    [item.title.as_str()]
                        .into_iter()
                        .chain(item.notes.iter().map(String::as_str))
                });
                (unplayable.turn, reasons.joined("; "))
            })
        }
    }
}
