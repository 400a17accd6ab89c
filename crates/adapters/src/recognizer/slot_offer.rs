//! Slots that a recognizer can fill.

use std::collections::BTreeSet;

use crate::limits::MAX_SLOT_HINTS;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    Condition, OpKind, SlotDeclaration, SlotId, SlotKind, Subject, Test, Value, ValueSource,
};

/// A slot to fill.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotOffer<'a> {
    pub name: &'a str,
    /// The declared type and description.
    pub declared: &'a SlotDeclaration,
    /// Values that conditions compare the slot with, if no values are declared; otherwise an example of its format.
    pub hints: Vec<Value>,
    /// Whether conditions compare the slot with numbers, and no type is declared.
    pub is_number: bool,
}

impl<'a> SlotOffer<'a> {
    /// The slots that utterances can fill, the same in every state: those that states collect, operations read, phrases
    /// capture, or a typed declaration describes.
    pub fn all(machine: &'a Machine) -> Vec<Self> {
        slots(machine)
            .into_iter()
            .map(|slot| Self::of(slot, machine))
            .collect()
    }

    fn of(slot: SlotId, machine: &'a Machine) -> Self {
        let declared = machine.slot(slot);
        let mut hints = Vec::new();
        let mut is_number = false;
        let tests = machine
            .conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::Test(Subject::Slot(subject) | Subject::Said(subject), test)
                    if *subject == slot =>
                {
                    Some(test)
                }
                _ => None,
            });
        let takes_hints = declared.values.is_empty()
            && matches!(declared.kind, None | Some(SlotKind::Text | SlotKind::List));
        for test in tests.filter(|_| takes_hints) {
            let values: Vec<Value> = match test {
                Test::Is(values) => values
                    .iter()
                    .filter(|value| value.filled())
                    .cloned()
                    .collect(),
                Test::IsFolded(folded) => folded.iter().map(|text| Value::text(text)).collect(),
                Test::Compare(..) | Test::Between(..) => {
                    is_number = declared.kind.is_none();
                    Vec::new()
                }
                _ => Vec::new(),
            };
            for value in values {
                if hints.len() < MAX_SLOT_HINTS && !hints.contains(&value) {
                    hints.push(value);
                }
            }
        }
        let name = machine.names.slots.name(slot);
        if takes_hints && hints.is_empty() && !is_number && declared.format.is_none() {
            hints.extend(captured(machine, name));
        }
        Self {
            name,
            declared,
            hints,
            is_number,
        }
    }
}

/// The first value that a phrase captures for a slot in an example of its intent.
fn captured(machine: &Machine, slot: &str) -> Option<Value> {
    machine.phrases.iter().find_map(|phrases| {
        let mut patterns = phrases.patterns.iter().map(|phrase| &phrase.pattern);
        let pattern =
            patterns.find(|regex| regex.capture_names().flatten().any(|name| name == slot))?;
        machine
            .description(phrases.intent)
            .examples
            .iter()
            .find_map(|text| Some(Value::text(pattern.captures(text)?.name(slot)?.as_str())))
    })
}

fn slots(machine: &Machine) -> BTreeSet<SlotId> {
    let mut slots = BTreeSet::new();
    for (_, state) in machine.declared_states() {
        slots.extend(state.required.iter().chain(&state.optional));
    }
    for op in machine.all_ops() {
        if let OpKind::Set(_, source) | OpKind::Append(_, source) = &op.kind
            && let ValueSource::Said(said) | ValueSource::Among(said, _) = source
        {
            slots.insert(*said);
        }
    }
    let names = &machine.names.slots;
    let takes_any = machine.policies.inputs().frames;
    for id in names.ids() {
        let declared = machine.slot(id);
        if takes_any || declared.is_typed() || !declared.description.is_empty() {
            slots.insert(id);
        }
    }
    // Fields of a frame, and flags set on entry to a state, are filled by the model, not by the user.
    let is_set = |slot: SlotId| {
        machine
            .states
            .iter()
            .any(|state| state.set_flags.iter().any(|(set, _)| *set == slot))
            && !machine.slot(slot).is_declared
    };
    slots.retain(|slot| {
        machine.frames.field(*slot).is_none()
            && !names.name(*slot).starts_with('_')
            && !is_set(*slot)
    });
    slots
}
