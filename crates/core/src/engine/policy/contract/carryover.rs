//! Carryover: the frames that persist from one turn to the next.

use super::TransitionClass;
use crate::engine::{Contract, Slots};
use crate::machine::{Depth, Frame, Frames, SlotId, Value};

/// Removes the data that the coverage gate of the last turn does not let through (docs/src/explanation/contracts.md).
/// Returns the removed data, so that a failed turn can restore it.
pub(super) fn withdraw(
    contract: &Contract,
    frames: &Frames,
    slots: &mut Slots,
) -> Vec<(SlotId, Value)> {
    let Some(depth) = contract.eligible(slots) else {
        return Vec::new();
    };
    let mut taken = Vec::new();
    for frame in frames.iter().filter(|frame| !depth.has(frame.part)) {
        let known = frame
            .fields
            .iter()
            .map(|field| (field.slot, slots.get(field.slot).clone()));
        taken.extend(known.filter(|(_, value)| !value.is_null()));
        clear(frame, slots);
    }
    taken
}

/// Restores the removed data.
pub(super) fn restore(taken: Vec<(SlotId, Value)>, slots: &mut Slots) {
    for (slot, value) in taken {
        slots.set(slot, value);
    }
}

/// The depth of the carryover after a turn of the class: the parts with a field that is unchanged and was not cleared
/// during the turn.
pub(super) fn carried(
    frames: &Frames,
    class: &TransitionClass,
    base: &Slots,
    after: &Slots,
) -> Depth {
    let mut depth = Depth::NONE;
    for (id, frame) in frames.pairs() {
        let cleared = class.clears.contains(&id);
        let stays = |slot: SlotId| {
            !base.get(slot).is_null()
                && base.get(slot) == after.get(slot)
                && (!cleared || class.preserves(slot))
        };
        if frame.fields.iter().any(|field| stays(field.slot)) {
            depth = depth.with(frame.part);
        }
    }
    depth
}

/// The data that a class lets through.
pub(super) fn let_through(frames: &Frames, class: &TransitionClass, carried: &Slots) -> Slots {
    let mut slots = carried.clone();
    for (id, frame) in frames.pairs() {
        if !class.depth.has(frame.part) || class.forbids.contains(&id) {
            clear(frame, &mut slots);
        }
    }
    slots
}

/// Clears a frame.
pub(super) fn clear(frame: &Frame, slots: &mut Slots) {
    for field in &frame.fields {
        slots.set(field.slot, Value::Null);
    }
}
