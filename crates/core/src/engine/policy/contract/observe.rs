//! The observations of a contract in a turn.

use super::{Contract, ContractOutcome, TransitionClass, Violation};
use crate::engine::policy::PolicyObservations;
use crate::engine::{Machine, Symbol, TurnRecord};
use crate::machine::{SlotId, ValueSource};

/// The violations of a contract that come from data of the back end or of the user, which the search invents.
const FROM_OUTSIDE: [&str; 4] = [
    "unclassified",
    "unknown_outcome",
    "value_not_allowed",
    "answer_not_allowed",
];

impl Contract {
    /// Adds the violated rules, and the classes that both match.
    pub(super) fn observed(
        &self,
        record: &TurnRecord,
        machine: &Machine,
        found: &mut PolicyObservations,
    ) {
        let Some(outcome) = &record.policies.contract.outcome else {
            return;
        };
        let names = outcome.violations.iter().map(Violation::name);
        found
            .breaches
            .extend(names.filter(|name| !FROM_OUTSIDE.contains(name)));
        if carries_forbidden(self, outcome, record, machine) {
            found.breaches.push("illegal_carryover");
        }
        found.breaches.dedup();
        let name = |id| {
            self.classes
                .lookup(id)
                .map_or("", |class: &TransitionClass| &*class.name)
        };
        let also = outcome.matching.also.first().copied();
        let both = outcome.matching.class.zip(also);
        found.ambiguous =
            both.map(|(class, other)| format!("{}, {}", name(class), name(other)).into());
    }
}

/// Whether a field of a frame survives a turn of a class that forbids the frame: the turn was replaced, and its outcome
/// copies what the first class carried over.
fn carries_forbidden(
    contract: &Contract,
    outcome: &ContractOutcome,
    record: &TurnRecord,
    machine: &Machine,
) -> bool {
    let Some((chosen, taker)) = outcome.replaced() else {
        return false;
    };
    let status = outcome.outcome.as_deref();
    let rule = status.and_then(|status| contract.outcome(machine, status));
    let ops = rule.map_or(&[][..], |rule| {
        machine.ops(machine.outcomes[rule.outcome].rule)
    });
    let forbids = |slot: SlotId| {
        let class = contract.classes.lookup(taker);
        let frames = class.into_iter().flat_map(|class| &class.forbids);
        let mut fields = frames
            .filter_map(|frame| machine.frames.lookup(*frame))
            .flat_map(|frame| &frame.fields);
        fields.any(|field| field.slot == slot)
    };
    let is_new = |slot: SlotId| {
        let class = contract.classes.lookup(chosen);
        let mut ops = class.into_iter().flat_map(|class| machine.ops(class.does));
        ops.any(|op| op.slot() == Some(slot))
    };
    ops.iter().any(|op| match (op.slot(), op.source()) {
        (Some(slot), Some(ValueSource::Attempted(from))) => {
            slot == *from
                && forbids(slot)
                && !is_new(slot)
                && record.carryover.kept.contains(&Symbol::Known(slot))
        }
        _ => false,
    })
}
