//! Carryover: which frames come along from one turn to the next.

use crate::engine::slots::Slots;
use crate::machine::{Contract, Depth, Frame, TransitionClass, Value};

/// Takes back what the coverage gate of the last turn does not let through (003, "Coverage Gate State").
pub(in crate::engine) fn withdraw(contract: &Contract, slots: &mut Slots) {
    let Some(field) = contract.eligibility else { return };
    let Some(depth) = slots.get(field).as_text().and_then(Depth::from_name) else { return };
    for frame in contract.frames.iter().filter(|frame| !depth.has(frame.part)) {
        clear(frame, slots);
    }
}

/// What a class lets through of what was carried to it.
pub(super) fn let_through(contract: &Contract, class: &TransitionClass, carried: &Slots) -> Slots {
    let mut slots = carried.clone();
    for (id, frame) in contract.frames.pairs() {
        if !class.depth.has(frame.part) || class.forbids.contains(&id) {
            clear(frame, &mut slots);
        }
    }
    slots
}

/// Forgets a frame.
pub(super) fn clear(frame: &Frame, slots: &mut Slots) {
    for field in &frame.fields {
        slots.set(field.slot, Value::Null);
    }
}
