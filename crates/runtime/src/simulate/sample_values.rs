//! Sample values for the slots of any model.

use std::collections::BTreeMap;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{SOMETHING, SlotId, Value, compared_values, is_russian};

/// Sample values for the slots of a model. A value from a condition is preferred, then a sample word, then a declared
/// value.
pub(super) struct SampleValues {
    compared: Option<BTreeMap<SlotId, Vec<Value>>>,
    russian: bool,
}

impl SampleValues {
    /// Collects the sample values of a model. The result is empty unless `are_wanted` is set.
    pub(super) fn of(machine: &Machine, are_wanted: bool) -> Self {
        let compared = are_wanted.then(|| compared_values(machine.conditions.iter()));
        Self {
            compared,
            russian: speaks_russian(machine),
        }
    }

    /// A sample value for a slot.
    pub(super) fn get(&self, slot: SlotId, machine: &Machine) -> Option<Value> {
        let compared = self.compared.as_ref()?.get(&slot);
        // A numeric bound has values below, on and above it. The second one equals the bound.
        let value = compared
            .and_then(|values| {
                values
                    .iter()
                    .filter(|value| matches!(value, Value::Int(_)))
                    .nth(1)
            })
            .or_else(|| {
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
        value
            .cloned()
            .into_iter()
            .chain([word])
            .chain(declared.sample())
            .find_map(|value| declared.admit(&value))
    }
}

/// Whether the users of a model speak Russian.
pub(super) fn speaks_russian(machine: &Machine) -> bool {
    machine
        .states
        .iter()
        .any(|state| state.goal.as_deref().is_some_and(is_russian))
}
