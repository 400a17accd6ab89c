//! The frames of a dialogue, as its trace tells them turn by turn.

use std::collections::BTreeMap;

use crate::engine::Machine;
use crate::machine::{List, SlotId, Value};
use crate::verify::import::BorrowedJson;

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
        for (frame, known) in told.pairs().unwrap_or_default() {
            for (field, value) in known.pairs().unwrap_or_default().iter().filter(|(_, value)| !value.is_null()) {
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

    /// The frames of a dialogue that has not begun; nothing, where something that is no field of a frame is known from the
    /// beginning too, of which no turn has told yet.
    pub(super) fn initial(machine: &Machine) -> Option<Self> {
        let field = |(slot, value): &(SlotId, Value)| {
            let is_field = machine.frames.field(*slot).is_some();
            is_field.then(|| (machine.names.slots.name(*slot).to_owned(), value.clone()))
        };
        Some(Self { fields: machine.initial_data.iter().map(field).collect::<Option<_>>()? })
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
