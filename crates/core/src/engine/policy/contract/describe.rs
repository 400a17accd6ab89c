//! What a turn did by its contract, as records show it: the depth of its carryover, the frames, breaches and events.

use super::ContractNotes;
use super::apply::ContractOutcome;
use super::contract::Contract;
use super::lack::RefusedClass;
use super::violation::Violation;
use crate::engine::Machine;
use crate::engine::record_view::{RecordPart, RecordView};
use crate::engine::session::Symbol;
use crate::engine::sink::{Sink, key};
use crate::machine::{Depth, Value};

/// Writes a part of the record. Whether there is such a part.
pub(super) fn describe(
    contract: &Contract,
    part: RecordPart,
    notes: &ContractNotes,
    line: &RecordView<'_>,
    out: &mut impl Sink,
) -> bool {
    let outcome = notes.outcome.as_deref();
    match part {
        RecordPart::Carryover => key!(out, "depth").word(notes.depth(line).name()),
        RecordPart::Frames => write_frames(contract, line, out),
        RecordPart::Faults => {
            for violation in outcome.into_iter().flat_map(|outcome| &outcome.violations) {
                write_violation(violation, contract, line.machine, out.item());
            }
        }
        RecordPart::EventsBefore => {
            if let Some(outcome) = outcome {
                write_events(outcome, contract, line.machine, out);
            }
        }
        RecordPart::Points | RecordPart::EventsAfter => return false,
    }
    true
}

impl ContractNotes {
    /// How much was carried over.
    pub fn depth(&self, line: &RecordView<'_>) -> Depth {
        if let Some(depth) = self.outcome.as_ref().and_then(|outcome| outcome.depth) {
            return depth;
        }
        let kept = line.record.carryover.kept.iter().filter_map(Symbol::known);
        let frames =
            kept.filter_map(|slot| line.machine.frames.field(slot).map(|(frame, _)| frame));
        frames.fold(Depth::NONE, |depth, frame| depth.with(frame.part))
    }
}

/// The frames with what is known in them.
fn write_frames(contract: &Contract, line: &RecordView<'_>, out: &mut impl Sink) {
    out.object(|out| {
        for frame in &line.machine.frames {
            if !frame.is_active(&line.session.slots) {
                continue;
            }
            out.name(&frame.name).object(|out| {
                for field in &frame.fields {
                    match line.session.slots.get(field.slot) {
                        Value::Null => {}
                        Value::List(list) if contract.appended.contains(&field.slot) => {
                            out.name(&field.name)
                                .collected(list, line.record.known_before(field.slot, list));
                        }
                        value => out.name(&field.name).value(value),
                    }
                }
            });
        }
    });
}

/// Something that was done and the contract does not allow.
fn write_violation(
    violation: &Violation,
    contract: &Contract,
    machine: &Machine,
    out: &mut impl Sink,
) {
    out.object(|out| {
        key!(out, "fault").text(violation.name());
        match violation {
            Violation::UnknownOutcome(outcome) => key!(out, "outcome").text(outcome),
            Violation::Value { slot, value } => {
                key!(out, "field").text(machine.names.slots.name(*slot));
                key!(out, "value").value(value);
            }
            Violation::Answer { class, mode } => {
                key!(out, "class").text(contract.class_name(*class));
                key!(out, "answer").value(mode);
            }
            Violation::Property { class, property } => {
                key!(out, "class").text(contract.class_name(*class));
                let rule = contract.property(*class, *property);
                key!(out, "property").text_or_null(rule.map(|rule| &*rule.name));
            }
            Violation::Changed(slot, _) => key!(out, "field").text(machine.names.slots.name(*slot)),
            // The name says it all.
            _ => {}
        }
    });
}

/// What happened while the class was chosen: several took the turn, some lacked what they require, another took over.
fn write_events(
    outcome: &ContractOutcome,
    contract: &Contract,
    machine: &Machine,
    out: &mut impl Sink,
) {
    let name = |class| contract.class_name(class);
    let matching = &outcome.matching;
    if !matching.refused.is_empty() {
        out.item().object(|out| {
            key!(out, "event").word("class_refused");
            key!(out, "classes").texts(matching.refused.iter().map(|refused| name(refused.class)));
            let lacks = |refused: &RefusedClass| {
                refused
                    .lacks
                    .iter()
                    .map(|lack| (refused.class, *lack))
                    .collect::<Vec<_>>()
            };
            key!(out, "lacks").each(
                matching.refused.iter().flat_map(lacks),
                |(class, lack), out| {
                    out.object(|out| {
                        key!(out, "class").text(name(class));
                        key!(out, "what").text(lack.of.name(machine));
                        key!(out, "withdrawn").boolean(lack.withdrawn);
                    });
                },
            );
        });
    }
    if let Some(chosen) = matching.class.filter(|_| !matching.also.is_empty()) {
        out.item().object(|out| {
            key!(out, "event").word("class_ambiguous");
            key!(out, "taken").text(name(chosen));
            key!(out, "also").texts(matching.also.iter().map(|class| name(*class)));
        });
    }
    if let Some((chosen, class)) = outcome.replaced() {
        out.item().object(|out| {
            key!(out, "event").word("class_replaced");
            key!(out, "from").text(name(chosen));
            key!(out, "to").text(name(class));
            key!(out, "outcome").text_or_null(outcome.outcome.as_deref());
        });
    }
}
