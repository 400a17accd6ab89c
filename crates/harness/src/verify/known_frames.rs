//! The frames of a dialogue, as its trace tells them turn by turn.

use std::collections::BTreeMap;

use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{List, SlotId, Value};

/// What is known in the frames of a dialogue: each field as `FRAME.FIELD`. Of a list in which a dialogue collects, a turn
/// tells only what it appended; the list is known from the turns before.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFrames {
    fields: BTreeMap<String, Value>,
}

impl KnownFrames {
    /// The frames after a turn that tells this of them, where those `before` it are known. Nothing, where a list was
    /// appended to of which nobody knows what was in it.
    pub(super) fn after(told: &BorrowedJson<'_>, before: Option<&Self>) -> Option<Self> {
        let mut fields = BTreeMap::new();
        for (frame, known) in told.entries() {
            let known = known.entries().iter();
            for (field, value) in known.filter(|(_, value)| !value.is_null()) {
                let name = format!("{frame}.{field}");
                let value = match value.collected() {
                    None => value.to_value(),
                    Some((appended, length)) => {
                        let had = before.and_then(|before| before.fields.get(&name));
                        Value::List(collected(had, appended, length)?)
                    }
                };
                fields.insert(name, value);
            }
        }
        Some(Self { fields })
    }

    /// The frames as a list of them tells each with its name, under `id`, and its fields. A field that it does not tell, or of
    /// which it tells no more than a record does of nothing, is not known, nor is a frame that is not in the list.
    pub(super) fn listed(told: &BorrowedJson<'_>, machine: &Machine) -> Option<Self> {
        let items = told.list()?;
        let mut fields = BTreeMap::new();
        for (frame, field) in machine.frames.fields() {
            let item = items
                .iter()
                .find(|item| item.at("id").text() == Some(&frame.name));
            let value = item.map_or(Value::Null, |item| item.at(&field.name).to_value());
            if !field.kind.is_nothing(&value) {
                fields.insert(format!("{}.{}", frame.name, field.name), value);
            }
        }
        Some(Self { fields })
    }

    /// The frames of a dialogue that has not begun, and into which it puts some of what is `given`.
    pub(super) fn initial(machine: &Machine, given: &BorrowedJson<'_>) -> Self {
        let is_field = |slot: SlotId| machine.frames.field(slot).is_some();
        let own = machine
            .initial_data
            .iter()
            .filter(|(slot, _)| is_field(*slot));
        let own =
            own.map(|(slot, value)| (machine.names.slots.name(*slot).to_owned(), value.clone()));
        let given = given.entries().iter();
        let given = given.filter(|(name, _)| machine.names.slots.id(name).is_some_and(is_field));
        let mut fields: BTreeMap<String, Value> = own.collect();
        fields.extend(given.map(|(name, value)| (name.to_string(), value.to_value())));
        fields.retain(|_, value| !value.is_null());
        Self { fields }
    }

    /// All that is known, in the order of the names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, value)| (&**name, value))
    }

    /// What is known in a field.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }
}

/// A list of this length that ends in what was appended.
fn collected(had: Option<&Value>, appended: &[BorrowedJson<'_>], length: usize) -> Option<List> {
    let mut list = match had {
        Some(Value::List(had)) if had.len() + appended.len() == length => had.clone(),
        // It begins anew.
        _ if appended.len() == length => List::default(),
        _ => return None,
    };
    for item in appended {
        list.push(item.to_value());
    }
    Some(list)
}
