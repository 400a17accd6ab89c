//! Who works in a state before its turn begins.

use crate::machine::SlotId;

/// Who works in a state, and what the work is about.
#[derive(Clone, Copy, Debug)]
pub struct Worker<'m> {
    /// The role.
    pub role: &'m str,
    /// Somebody outside does the work.
    pub is_asked: bool,
    /// The data that is known to it.
    pub reads: &'m [SlotId],
    /// What the work brings, by name. A name with a dot is a part of another one.
    pub brings: &'m [(Box<str>, SlotId)],
    /// The capabilities that may be asked for.
    pub capabilities: &'m [Box<str>],
}

impl<'m> Worker<'m> {
    /// The names of what the work brings, without their parts.
    pub fn outputs(&self) -> impl Iterator<Item = &'m str> {
        let names = self.brings.iter().map(|(name, _)| &**name);
        names.filter(|name| !name.contains('.'))
    }
}
