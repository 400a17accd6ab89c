//! Names that a session has met and its machine does not know.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::symbol::Symbol;
use crate::machine::{Id, Names};

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
