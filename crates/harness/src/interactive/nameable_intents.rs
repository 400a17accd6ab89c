//! The intents that a user can name.

use fsmsim_core::engine::Machine;

/// The intent of a turn that only provides data.
pub(super) const INFORMING_INTENT: &str = "info_provided";

/// The intents and the events that a line can start with, in the order of the machine.
pub(super) fn nameable_intents(machine: &Machine) -> impl Iterator<Item = &str> {
    let names = &machine.names.intents;
    let ids = names.ids().filter(|id| !machine.is_internal(*id));
    ids.map(|id| names.name(id))
}
