//! Who works in a state before its turn begins.

use std::sync::Arc;

use crate::machine::{SlotId, StateId};

/// Who works in a state, and what the work is about.
#[derive(Clone, Debug)]
pub struct StateWorker {
    /// The state.
    pub state: StateId,
    /// Somebody outside does the work.
    pub is_asked: bool,
    /// Who works there.
    pub role: Box<str>,
    /// What is known to it: the data that it reads.
    pub reads: Box<[SlotId]>,
    /// What the work brings, by name; the first is what it brings where it is a mere text. A name with a dot is a part of
    /// another one.
    pub brings: Box<[(Box<str>, SlotId)]>,
    /// The capabilities that may be asked for.
    pub capabilities: Arc<[Box<str>]>,
}

impl StateWorker {
    /// The names of what the work brings, without their parts.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        let names = self.brings.iter().map(|(name, _)| &**name);
        names.filter(|name| !name.contains('.'))
    }
}
