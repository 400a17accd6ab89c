//! The frames of a dialogue, as far as they are known.

use std::collections::BTreeMap;

use crate::verify::import::BorrowedJson;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{List, SlotId, Value};

/// The known fields of a dialogue's frames, as `FRAME.FIELD`. For a collected list, a turn records only the appended
/// items, so the list itself is known only from earlier turns.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFrames {
    fields: BTreeMap<String, Value>,
}

impl KnownFrames {
    /// The frames after a turn in which `recorded` was recorded. `before` contains the frames before the turn, if they
    /// are known. Returns `None` if items were appended to an unknown list.
    pub(super) fn after(recorded: &BorrowedJson<'_>, before: Option<&Self>) -> Option<Self> {
        let mut fields = BTreeMap::new();
        for (frame, known) in recorded.entries() {
            let known = known.entries().iter();
            for (field, value) in known.filter(|(_, value)| !value.is_null()) {
                let name = format!("{frame}.{field}");
                let value = match value.collected() {
                    None => value.to_value(),
                    Some((appended, length)) => {
                        let previous = before.and_then(|before| before.fields.get(&name));
                        Value::List(collected(previous, appended, length)?)
                    }
                };
                fields.insert(name, value);
            }
        }
        Some(Self { fields })
    }

    /// Reads the frames from a list. Each item contains the name of a frame under `id`, and its fields. Missing or
    /// empty fields are unknown, and so are frames that are not in the list.
    pub(super) fn listed(recorded: &BorrowedJson<'_>, machine: &Machine) -> Option<Self> {
        let items = recorded.list()?;
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

    /// The frames at the start of a dialogue, including the fields in `given`.
    pub(super) fn initial(machine: &Machine, given: &BorrowedJson<'_>) -> Self {
        let is_field = |slot: SlotId| machine.frames.field(slot).is_some();
        let own = machine
            .initial_data
            .iter()
            .filter(|(slot, _)| is_field(*slot));
        let own =
            own.map(|(slot, value)| (machine.names.slots.name(*slot).to_owned(), value.clone()));
        let given = given
            .entries()
            .iter()
            .filter(|(name, _)| machine.names.slots.id(name).is_some_and(is_field));
        let mut fields: BTreeMap<String, Value> = own.collect();
        fields.extend(given.map(|(name, value)| (name.to_string(), value.to_value())));
        fields.retain(|_, value| !value.is_null());
        Self { fields }
    }

    /// Restores the fields that [`iter`](Self::iter) returns, from a JSON map.
    pub(super) fn saved(fields: &BorrowedJson<'_>) -> Self {
        let pairs = fields.entries().iter();
        let fields = pairs.map(|(name, value)| (name.to_string(), value.to_value()));
        Self {
            fields: fields.collect(),
        }
    }

    /// All known fields, sorted by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, value)| (&**name, value))
    }

    /// The known value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }
}

/// A list of this length that ends with the appended items.
fn collected(
    previous: Option<&Value>,
    appended: &[BorrowedJson<'_>],
    length: usize,
) -> Option<List> {
    let mut list = match previous {
        Some(Value::List(previous)) if previous.len() + appended.len() == length => {
            previous.clone()
        }
        // The list was emptied before these items were appended.
        _ if appended.len() == length => List::default(),
        _ => return None,
    };
    for item in appended {
        list.push(item.to_value());
    }
    Some(list)
}
