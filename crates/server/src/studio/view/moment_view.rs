//! A turn that was played, as the conversation shows it.

use serde::Serialize;
use serde_json::value::RawValue;

use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_runtime::runtime::TurnNode;

/// A turn that was played.
#[derive(Debug, Serialize)]
pub(super) struct MomentView<'r> {
    /// The number of its moment in the tree of turns.
    number: u32,
    /// The number of the moment before; 0 for the beginning.
    before: u32,
    /// The number of the turn.
    turn: u32,
    /// The line by which it was given.
    line: &'r str,
    /// Its record; nothing where there is nothing to tell of it.
    record: Option<&'r RawValue>,
    /// Why it went as it did, in a sentence; empty where that is not known.
    why: &'r str,
    /// What was said in it.
    said: Vec<SaidView<'r>>,
}

/// Something that was said.
#[derive(Debug, Serialize)]
struct SaidView<'r> {
    by: &'static str,
    text: &'r str,
}

impl<'r> MomentView<'r> {
    /// The moments behind the one with this number.
    pub(super) fn since(rehearsal: &'r Rehearsal, known: u32) -> Vec<Self> {
        let tree = rehearsal.tree();
        // The number of a turn is one more than that of the turn before.
        let mut turns = vec![tree.turns_at(0)];
        let mut views = Vec::new();
        for (number, moment) in (1..).zip(tree.moments()) {
            let before = usize::try_from(moment.before)
                .ok()
                .and_then(|before| turns.get(before))
                .copied();
            let turn = before.unwrap_or_default().saturating_add(1);
            turns.push(turn);
            if number > known {
                views.push(Self::of(rehearsal, number, turn, moment));
            }
        }
        views
    }

    fn of(rehearsal: &'r Rehearsal, number: u32, turn: u32, moment: &'r TurnNode) -> Self {
        let said = moment.said.iter().map(|said| SaidView {
            by: said.by.name(),
            text: &said.text,
        });
        Self {
            number,
            before: moment.before,
            turn,
            line: &moment.line,
            // A record is a line of JSON, or nothing at all.
            record: serde_json::from_str(&moment.record).ok(),
            why: rehearsal.why_at(number).map_or("", |why| &*why.sentence),
            said: said.collect(),
        }
    }
}
