//! Values for the slots of any model.

use std::collections::BTreeMap;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{SOMETHING, SlotId, Value, compared_values};

/// Values for the slots of a model, such as they may hold: those with which its conditions compare, else some of those that are
/// declared, else a word.
pub(super) struct SampleValues {
    compared: Option<BTreeMap<SlotId, Vec<Value>>>,
    russian: bool,
}

impl SampleValues {
    /// The values of a model; none, unless they are wanted.
    pub(super) fn of(machine: &Machine, are_wanted: bool) -> Self {
        let compared = are_wanted.then(|| compared_values(machine.conditions.iter()));
        Self {
            compared,
            russian: speaks_russian(machine),
        }
    }

    /// Something for a slot.
    pub(super) fn get(&self, slot: SlotId, machine: &Machine) -> Option<Value> {
        let compared = self.compared.as_ref()?.get(&slot);
        // A bound is reached by the value on it.
        let number = compared.and_then(|values| {
            values
                .iter()
                .filter(|value| matches!(value, Value::Int(_)))
                .nth(1)
        });
        let value = number.or_else(|| {
            compared.and_then(|values| {
                values
                    .iter()
                    .find(|value| value.as_text().is_some_and(|text| text != SOMETHING))
            })
        });
        let declared = machine.slot(slot);
        let is_contact = machine.names.slots.name(slot).contains("contact");
        let word = if self.russian { "есть" } else { "known" };
        let word = Value::text(if is_contact { "ann@example.com" } else { word });
        let candidates = value
            .cloned()
            .into_iter()
            .chain([word])
            .chain(declared.sample());
        candidates
            .into_iter()
            .find_map(|value| declared.admit(&value))
    }
}

/// Whether people speak Russian to a model.
pub(super) fn speaks_russian(machine: &Machine) -> bool {
    machine
        .states
        .iter()
        .any(|state| state.goal.as_deref().is_some_and(is_russian))
}

/// Whether a text has Russian letters.
pub(super) fn is_russian(text: &str) -> bool {
    text.chars()
        .any(|letter| matches!(letter, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё'))
}
