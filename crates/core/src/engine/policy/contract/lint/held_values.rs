//! What the fields of a contract can ever hold: values that are listed and never put into their field, and what must hold after
//! a turn and never can.

use std::collections::BTreeMap;

use super::Contract;
use crate::engine::Machine;
use crate::machine::{
    Condition, ConditionId, FieldKind, OpKind, SlotId, Subject, Test, Value, ValueSource,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Looks for listed values that are never put into their field, and for `must` that never holds.
pub(in crate::engine::policy) fn check(
    contract: &Contract,
    machine: &Machine,
    found: &mut Vec<Diagnostic>,
) {
    let held = HeldValues::of(machine, contract);
    held.unused(found);
    held.broken(contract, found);
}

/// The values that each field may come to hold, besides nothing. A field that is missing here may hold anything.
struct HeldValues<'m> {
    machine: &'m Machine,
    values: BTreeMap<SlotId, Vec<&'m Value>>,
}

impl<'m> HeldValues<'m> {
    fn of(machine: &'m Machine, contract: &Contract) -> Self {
        let listed = machine
            .frames
            .fields()
            .filter(|(_, field)| matches!(field.kind, FieldKind::OneOf(_)));
        let mut values: BTreeMap<SlotId, Vec<&Value>> =
            listed.map(|(_, field)| (field.slot, Vec::new())).collect();
        // The mode of an answer is put there by the engine; how much is carried over is a scale, and stands there whole.
        for slot in [contract.answer, contract.eligibility]
            .into_iter()
            .flatten()
        {
            values.remove(&slot);
        }
        for (slot, value) in &machine.initial_data {
            values.entry(*slot).and_modify(|held| held.push(value));
        }
        let puts = || {
            machine.all_ops().iter().filter_map(|op| match &op.kind {
                OpKind::Set(slot, source) => Some((*slot, source)),
                _ => None,
            })
        };
        for (slot, source) in puts() {
            match source {
                ValueSource::Constant(value) => {
                    values.entry(slot).and_modify(|held| held.push(value));
                }
                ValueSource::Slot(_) | ValueSource::Was(_) | ValueSource::Attempted(_) => {}
                _ => {
                    values.remove(&slot);
                }
            }
        }
        // What one field holds may be put into another, and so on.
        let mut changed = true;
        while changed {
            changed = false;
            for (slot, source) in puts() {
                let (ValueSource::Slot(from)
                | ValueSource::Was(from)
                | ValueSource::Attempted(from)) = source
                else {
                    continue;
                };
                let Some(more) = values.get(from).cloned() else {
                    changed |= values.remove(&slot).is_some();
                    continue;
                };
                if let Some(held) = values.get_mut(&slot) {
                    let new: Vec<&Value> = more
                        .into_iter()
                        .filter(|value| !held.contains(value))
                        .collect();
                    changed |= !new.is_empty();
                    held.extend(new);
                }
            }
        }
        Self { machine, values }
    }

    fn unused(&self, found: &mut Vec<Diagnostic>) {
        for (frame, field) in self.machine.frames.fields() {
            let (FieldKind::OneOf(listed), Some(held)) =
                (&field.kind, self.values.get(&field.slot))
            else {
                continue;
            };
            // A field into which nothing is put at all is told once, as a whole.
            if held.is_empty() {
                continue;
            }
            let idle: Vec<String> = listed
                .iter()
                .filter(|value| !held.contains(value))
                .map(|value| format!("`{}`", value.plain()))
                .collect();
            if !idle.is_empty() {
                let verb = if idle.len() == 1 { "is" } else { "are" };
                let title = format!(
                    "{} {verb} never put into `{}.{}`",
                    idle.join(", "),
                    frame.name,
                    field.name
                );
                found.push(
                    Diagnostic::warning(Code::IdleValue, title)
                        .at(self.machine.rules[frame.rule].span, "declared here")
                        .help("let a class or an outcome put it there, or take it out of the list"),
                );
            }
        }
    }

    fn broken(&self, contract: &Contract, found: &mut Vec<Diagnostic>) {
        for class in &contract.classes {
            for property in class.properties.iter().filter(|property| property.must) {
                if !self.may_hold(property.condition, true) {
                    let title = format!(
                        "`{}` must hold after each turn of `{}`, and never can",
                        property.name, class.name
                    );
                    found.push(
                        Diagnostic::warning(Code::NeverHolds, title)
                            .at(
                                self.machine.rules[property.rule].span,
                                "asks for a value that nobody puts there",
                            )
                            .help("put the value into the field, or ask for one that it may hold"),
                    );
                }
            }
        }
    }

    /// Whether a condition may come out so, as far as it depends on what fields can hold.
    fn may_hold(&self, condition: ConditionId, so: bool) -> bool {
        let all = |parts: &[ConditionId]| parts.iter().all(|part| self.may_hold(*part, so));
        let any = |parts: &[ConditionId]| parts.iter().any(|part| self.may_hold(*part, so));
        match &self.machine.conditions[condition] {
            Condition::And(parts) => {
                if so {
                    all(parts)
                } else {
                    any(parts)
                }
            }
            Condition::Or(parts) => {
                if so {
                    any(parts)
                } else {
                    all(parts)
                }
            }
            Condition::Not(part) => self.may_hold(*part, !so),
            Condition::Named(named) => {
                self.may_hold(self.machine.named_conditions[*named].condition, so)
            }
            Condition::Test(Subject::Slot(slot) | Subject::Was(slot), Test::Is(values)) if so => {
                let may_be = |value: &Value| {
                    value.is_null()
                        || self
                            .values
                            .get(slot)
                            .is_none_or(|held| held.contains(&value))
                };
                values.iter().any(may_be)
            }
            _ => true,
        }
    }
}
