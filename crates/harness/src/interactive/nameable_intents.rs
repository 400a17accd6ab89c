//! The intents that a user can name.

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::IntentId;

/// The intent of a turn that only provides data.
pub(super) const INFORMING_INTENT: &str = "info_provided";

/// The intents and the events that a line can start with, in the order of the machine.
pub(super) fn nameable_intents(machine: &Machine) -> impl Iterator<Item = &str> {
    let names = &machine.names.intents;
    let ids = names.ids().filter(move |id| can_be_named(machine, *id));
    ids.map(move |id| names.name(id))
}

/// Whether a user can say the intent or cause the event. Triggers belong to the engine.
pub(super) fn can_be_named(machine: &Machine, intent: IntentId) -> bool {
    !machine.is_internal(intent) && !machine.is_trigger(intent)
}
