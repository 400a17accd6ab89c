//! The collected data of a dialogue.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::{Machine, Symbol};
use crate::limits::MAX_UNDECLARED_SLOTS;
use crate::machine::{IdVec, SlotId, Value};

/// The value of an absent name.
const ABSENT: &Value = &Value::Null;

/// The collected data: slots of the machine by ID, other slots by name. Null means absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Slots {
    known: IdVec<SlotId, Value>,
    /// Shared with the slots before the turn until the turn changes them.
    others: Arc<BTreeMap<Arc<str>, Value>>,
    /// Names that exceeded the limit, since the last recorded turn.
    refused: Vec<Arc<str>>,
}

impl Slots {
    /// Creates empty slots with the initial data.
    pub fn new(machine: &Machine) -> Self {
        let mut slots = Self {
            known: IdVec::filled(machine.names.slots.len(), Value::Null),
            ..Self::default()
        };
        slots.begin(machine);
        slots
    }

    /// The value of a slot of the machine; null if it was not collected.
    #[inline]
    pub fn get(&self, slot: SlotId) -> &Value {
        self.known.lookup(slot).unwrap_or(ABSENT)
    }

    /// The value of a slot by name.
    pub fn by_name(&self, name: &Symbol<SlotId>) -> &Value {
        match name {
            Symbol::Known(slot) => self.get(*slot),
            Symbol::Unknown(text) => self.others.get(text).unwrap_or(ABSENT),
        }
    }

    /// Sets a slot of the machine.
    pub fn set(&mut self, slot: SlotId, value: Value) {
        if let Some(entry) = self.known.lookup_mut(slot) {
            *entry = value;
        }
    }

    /// Sets a slot by name; null removes the value. A new name that exceeds the limit is refused.
    pub fn set_name(&mut self, name: &Symbol<SlotId>, value: Value) {
        match name {
            Symbol::Known(slot) => self.set(*slot, value),
            Symbol::Unknown(text) => match (self.others.contains_key(text), value) {
                (false, Value::Null) => {}
                (true, Value::Null) => {
                    Arc::make_mut(&mut self.others).remove(text);
                }
                (false, _) if self.others.len() >= usize::from(MAX_UNDECLARED_SLOTS) => {
                    self.refused.push(Arc::clone(text));
                }
                (_, value) => {
                    Arc::make_mut(&mut self.others).insert(Arc::clone(text), value);
                }
            },
        }
    }

    /// The names that exceeded the limit in this turn, or in the operations before it.
    pub fn refused(&self) -> &[Arc<str>] {
        &self.refused
    }

    /// Clears the refused names after the turn is recorded.
    #[inline]
    pub(crate) fn forget_refused(&mut self) {
        if !self.refused.is_empty() {
            self.refused.clear();
        }
    }

    /// All values: those of the machine's slots in their order, then the other slots by name.
    pub fn iter<'a>(&'a self, machine: &'a Machine) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.known
            .pairs()
            .filter(|(_, value)| !value.is_null())
            .map(|(slot, value)| (machine.names.slots.name(slot), value))
            .chain(self.others.iter().map(|(name, value)| (&**name, value)))
    }

    /// Compares `before` with `self`: calls `each` for every name with both values (null for absence), in the order
    /// of [`iter`](Self::iter).
    pub fn compare<'a>(
        &'a self,
        before: &'a Self,
        mut each: impl FnMut(SlotKey<'a>, &'a Value, &'a Value),
    ) {
        for (slot, now) in self.known.pairs() {
            each(SlotKey::Known(slot), before.get(slot), now);
        }
        if Arc::ptr_eq(&self.others, &before.others) {
            self.others
                .iter()
                .for_each(|(name, value)| each(SlotKey::Unknown(name), value, value));
            return;
        }
        let names: std::collections::BTreeSet<&Arc<str>> =
            before.others.keys().chain(self.others.keys()).collect();
        for name in names {
            let value = |slots: &'a Self| slots.others.get(name).unwrap_or(ABSENT);
            each(SlotKey::Unknown(name), value(before), value(self));
        }
    }

    /// Resets to the initial data.
    pub fn begin(&mut self, machine: &Machine) {
        self.clear();
        for (slot, value) in &machine.initial_data {
            self.set(*slot, value.clone());
        }
    }

    /// Clears all data.
    pub fn clear(&mut self) {
        for value in self.known.entries_mut().filter(|value| !value.is_null()) {
            *value = Value::Null;
        }
        if !self.others.is_empty() {
            self.others = Arc::default();
        }
        self.refused.clear();
    }

    /// Copies `other` and reuses memory.
    pub fn copy_from(&mut self, other: &Self) {
        if self.known.len() == other.known.len() {
            // Most slots are empty before and after.
            for (mine, theirs) in self.known.entries_mut().zip(other.known.iter()) {
                if !(mine.is_null() && theirs.is_null()) {
                    mine.clone_from(theirs);
                }
            }
        } else {
            self.known.copy_from(&other.known);
        }
        if !Arc::ptr_eq(&self.others, &other.others) {
            self.others = Arc::clone(&other.others);
        }
        self.refused.clone_from(&other.refused);
    }
}

/// The name of a slot, or its ID if the machine defines it.
#[derive(Clone, Copy, Debug)]
pub enum SlotKey<'a> {
    /// A slot of the machine.
    Known(SlotId),
    /// Another name.
    Unknown(&'a Arc<str>),
}

impl SlotKey<'_> {
    /// The name as an owned value.
    pub fn to_name(self) -> Symbol<SlotId> {
        match self {
            Self::Known(slot) => Symbol::Known(slot),
            Self::Unknown(text) => Symbol::Unknown(Arc::clone(text)),
        }
    }
}
