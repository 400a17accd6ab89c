//! What of a contract turns can cover: classes, what they carry over and leave as it is, and readings.

use super::ContractNotes;
use super::contract::Contract;
use crate::engine::Machine;
use crate::engine::policy::{ItemMark, PolicyHooks, PolicyItem};
use crate::engine::record_view::RecordView;
use crate::machine::{ClassId, Depth, Id};

/// The class itself, by its part; then what it carries over, then each field that it leaves as it is.
const CLASS: usize = 0;
const CARRIES: usize = 1;
const PRESERVES: usize = 2;

fn mark(class: ClassId, part: usize) -> ItemMark {
    ItemMark::Own(Contract::NAME, class.index(), part)
}

pub(super) fn items(contract: &Contract, machine: &Machine) -> Vec<PolicyItem> {
    let mut items = Vec::new();
    for (id, class) in contract.classes.pairs() {
        let mut add = |kind, name, rule, mark| {
            items.push(PolicyItem {
                kind,
                name,
                span: Some(machine.rules[rule].span),
                mark,
            });
        };
        let name = &class.name;
        add("classes", name.to_string(), class.rule, mark(id, CLASS));
        if class.depth != Depth::NONE {
            let name = format!("{name} carries {}", class.depth.name());
            add("carryover", name, class.rule, mark(id, CARRIES));
        }
        for (preserved, part) in class.preserves.iter().zip(PRESERVES..) {
            let slot = machine.names.slots.name(preserved.slot);
            let name = format!("{name} preserves {slot}");
            add("carryover", name, preserved.rule, mark(id, part));
        }
        for intent in &class.readings {
            let name = machine.names.intents.name(*intent).to_owned();
            add("intents", name, class.rule, ItemMark::Intent(*intent));
        }
    }
    items
}

pub(super) fn covered(
    contract: &Contract,
    notes: &ContractNotes,
    line: &RecordView<'_>,
    covered: &mut impl FnMut(ItemMark),
) {
    let Some(outcome) = &notes.outcome else {
        return;
    };
    let class = outcome.class;
    let Some((id, class)) = class.and_then(|id| Some((id, contract.classes.lookup(id)?))) else {
        return;
    };
    covered(mark(id, CLASS));
    if outcome.depth.is_some_and(|depth| depth != Depth::NONE) {
        covered(mark(id, CARRIES));
    }
    let kept = &line.record.carryover.kept;
    for (preserved, part) in class.preserves.iter().zip(PRESERVES..) {
        if kept.iter().any(|name| name.known() == Some(preserved.slot)) {
            covered(mark(id, part));
        }
    }
}
