//! Names that a dialogue brings along: known to the machine, or its own, which the session numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::Machine;
use crate::machine::{Id, Names, SlotId, Value};

/// A name from outside: the machine's id for it, or the text where the machine does not know it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol<I> {
    /// Known to the machine.
    Known(I),
    /// Only known to the dialogue.
    Unknown(Arc<str>),
}

impl<I: Id> Symbol<I> {
    /// Looks a text up among the machine's names.
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

    /// The machine's id.
    pub fn known(&self) -> Option<I> {
        match self {
            Self::Known(id) => Some(*id),
            Self::Unknown(_) => None,
        }
    }
}

impl Symbol<SlotId> {
    /// A value as the slot holds it; what it cannot hold as it is.
    pub fn held(&self, value: &Value, machine: &Machine) -> Value {
        let held = self
            .known()
            .and_then(|slot| machine.slot(slot).admit(value));
        held.unwrap_or_else(|| value.clone())
    }
}

/// Names of one kind that a session has met and its machine does not know. They continue the machine's numbers, so that
/// everything in the session is an id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnknownNames {
    names: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, usize>,
}

impl UnknownNames {
    /// The id of a name, where the machine knows `machine` names of this kind.
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

    /// The text of an id from either the machine or this table.
    pub fn text<'a, I: Id>(&'a self, id: I, machine: &'a Names<I>) -> &'a str {
        match id.index().checked_sub(machine.len()) {
            None => machine.name(id),
            Some(index) => self.names.get(index).map_or("", |name| name),
        }
    }

    /// The names in the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        if !self.names.is_empty() {
            self.names.clear();
            self.numbers.clear();
        }
    }
}

/// Names that the machine does not know, of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnknownSymbols {
    pub states: UnknownNames,
    pub phases: UnknownNames,
    pub intents: UnknownNames,
    pub actions: UnknownNames,
}

impl UnknownSymbols {
    /// Forgets all names.
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
