//! Phrases: what is said becomes what is meant where a pattern of the contract says so.

use crate::engine::input::{Input, TurnData};
use crate::engine::name::Symbol;
use crate::machine::{Machine, Value};

/// The input as the first phrase reads it that is found in what was said; nothing, where none is. Named groups of the
/// pattern are data, unless the turn says them itself.
#[must_use]
pub fn read_phrase(input: &Input, machine: &Machine) -> Option<Input> {
    let say = input.say.as_deref()?;
    let (reading, pattern, groups) = machine.contract.as_deref()?.phrase(say)?;
    let mut read = input.clone();
    read.intent = Some(Symbol::Known(reading.intent));
    let mut values = input.data.values().to_vec();
    for group in pattern.capture_names().flatten() {
        let name = Symbol::of(group, &machine.names.slots);
        if let Some(text) = groups.name(group)
            && !values.iter().any(|(known, _)| *known == name)
        {
            values.push((name, Value::text(text.as_str())));
        }
    }
    if !values.is_empty() {
        read.data = TurnData::Given(values);
    }
    Some(read)
}
