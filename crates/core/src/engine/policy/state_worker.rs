//! The worker of a state of an agent cycle.

use std::sync::Arc;

use crate::machine::{SlotId, StateId};

/// The worker of a state, and the data that the work needs and returns.
#[derive(Clone, Debug)]
pub struct StateWorker {
    pub state: StateId,
    /// Whether the work is done outside the engine.
    pub is_asked: bool,
    pub role: Box<str>,
    /// The slots that the worker can read.
    pub reads: Box<[SlotId]>,
    /// The outputs by name. A result that is only a string is the first output. A name with a dot is a part of another output.
    pub brings: Box<[(Box<str>, SlotId)]>,
    /// The capabilities that the worker can request.
    pub capabilities: Arc<[Box<str>]>,
}

impl StateWorker {
    /// The names of the outputs, without their parts.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        let names = self.brings.iter().map(|(name, _)| &**name);
        names.filter(|name| !name.contains('.'))
    }
}
