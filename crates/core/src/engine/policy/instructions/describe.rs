//! What a turn did by its instructions, as records show it: the limits that its reply went past, and a move that was refused.

use super::instructions::Instructions;
use super::reason::InstructionsReason;
use crate::engine::blackboard::Reason;
use crate::engine::io::told;
use crate::engine::policy::PolicyFacts;
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::sink::{Sink, key};
use fsmsim_syntax::diagnostic::nearest;

/// Writes a part of the record. Whether there is such a part.
pub(super) fn describe(
    instructions: &Instructions,
    part: RecordPart,
    line: &RecordView<'_>,
    out: &mut impl Sink,
) -> bool {
    match part {
        RecordPart::Faults => {
            for fault in instructions.reply_faults(line) {
                out.item().object(|out| {
                    key!(out, "limit").text(fault.limit);
                    key!(out, "found").int(fault.found);
                    if fault.too_few {
                        key!(out, "least").int(fault.bound);
                    } else {
                        key!(out, "most").int(fault.bound);
                    }
                });
            }
        }
        RecordPart::EventsAfter => {
            if let Some((target, near)) = line.refused_move() {
                out.item().object(|out| {
                    key!(out, "event").word("move_refused");
                    key!(out, "to").text(target);
                    key!(out, "nearest").text_or_null(near);
                });
            }
        }
        RecordPart::Carryover
        | RecordPart::Frames
        | RecordPart::Points
        | RecordPart::EventsBefore => return false,
    }
    true
}

impl<'a> RecordView<'a> {
    /// A move that was asked for and is not declared: where it was to lead, and what is declared and looks like it.
    pub fn refused_move(&self) -> Option<(&'a str, Option<&'a str>)> {
        let outcome = self.record.outcome.as_ref()?;
        let refusal = Reason::from(InstructionsReason::UndeclaredTransition);
        self.record.reasons().find(|reason| *reason == refusal)?;
        let asked = self
            .scripted
            .input
            .goto
            .as_ref()
            .map(|state| state.text(&self.machine.names.states));
        let target = asked.or_else(|| told(&self.record.answers, "target"))?;
        let moves = self.machine.moves(outcome.state.from).iter();
        let declared = moves.map(|declared| self.machine.names.states.name(declared.target));
        Some((target, nearest(target, declared)))
    }
}
