//! Names that a dialogue brings along: known to the machine, or its own.

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
