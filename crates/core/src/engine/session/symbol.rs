//! Names from outside: names that the machine defines, and unknown names, which the session numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::Machine;
use crate::machine::{Id, Names, SlotId, Value};

/// A name from outside: the ID in the machine, or the text if the machine does not define it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol<I> {
    /// Defined in the machine.
    Known(I),
    /// Known only to the dialogue.
    Unknown(Arc<str>),
}

impl<I: Id> Symbol<I> {
    /// Looks up a text in the names of the machine.
    pub fn of(text: &str, names: &Names<I>) -> Self {
        match names.id(text) {
            Some(id) => Self::Known(id),
            None => Self::Unknown(text.into()),
        }
    }

    pub fn text<'a>(&'a self, names: &'a Names<I>) -> &'a str {
        match self {
            Self::Known(id) => names.name(*id),
            Self::Unknown(text) => text,
        }
    }

    /// The ID in the machine.
    pub fn known(&self) -> Option<I> {
        match self {
            Self::Known(id) => Some(*id),
            Self::Unknown(_) => None,
        }
    }
}

impl Symbol<SlotId> {
    /// A value as the slot stores it; a value that the slot does not accept is returned unchanged.
    pub fn held(&self, value: &Value, machine: &Machine) -> Value {
        self.known()
            .and_then(|slot| machine.slot(slot).admit(value))
            .unwrap_or_else(|| value.clone())
    }
}

/// Unknown names of one kind in a session. Their IDs follow the IDs of the machine, so that a session can store IDs for
/// all names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnknownNames {
    names: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, usize>,
}

impl UnknownNames {
    /// The ID of a name; `machine` is the number of names of this kind in the machine.
    pub fn id<I: Id>(&mut self, name: &Symbol<I>, machine: usize) -> I {
        let text = match name {
            Symbol::Known(id) => return *id,
            Symbol::Unknown(text) => text,
        };
        let names = &mut self.names;
        let index = self.numbers.entry(Arc::clone(text)).or_insert_with(|| {
            names.push(Arc::clone(text));
            names.len() - 1
        });
        I::from_index(machine + *index)
    }

    /// The text of an ID from the machine or from this table.
    pub fn text<'a, I: Id>(&'a self, id: I, machine: &'a Names<I>) -> &'a str {
        match id.index().checked_sub(machine.len()) {
            None => machine.name(id),
            Some(index) => self.names.get(index).map_or("", |name| name),
        }
    }

    /// The names in the order of their first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    pub fn clear(&mut self) {
        if !self.names.is_empty() {
            self.names.clear();
            self.numbers.clear();
        }
    }
}

/// The unknown names of a session, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnknownSymbols {
    pub states: UnknownNames,
    pub phases: UnknownNames,
    pub intents: UnknownNames,
    pub actions: UnknownNames,
}

impl UnknownSymbols {
    pub(super) fn clear(&mut self) {
        for names in [
            &mut self.states,
            &mut self.phases,
            &mut self.intents,
            &mut self.actions,
        ] {
            names.clear();
        }
    }
}
