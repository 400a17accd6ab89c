//! What conditions of a contract may ask besides the session.

use crate::engine::slots::Slots;
use crate::machine::{ClassId, Contract, Frame};

/// What conditions of a contract may ask besides the session.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Facts<'a> {
    /// The data before the turn.
    pub(in crate::engine) before: &'a Slots,
    /// What the backend came to.
    pub(in crate::engine) outcome: Option<&'a str>,
    /// A route was executed.
    pub(in crate::engine) executed: bool,
    /// The class of the turn, once it is known.
    pub(in crate::engine) class: Option<ClassId>,
}

/// Whether something is known of a frame.
pub(in crate::engine) fn is_active(frame: &Frame, slots: &Slots) -> bool {
    frame.fields.iter().any(|field| !slots.get(field.slot).is_null())
}

impl Facts<'_> {
    /// The name of the class of the turn.
    pub(in crate::engine) fn class_name<'c>(&self, contract: Option<&'c Contract>) -> Option<&'c str> {
        Some(&contract?.classes.lookup(self.class?)?.name)
    }
}
