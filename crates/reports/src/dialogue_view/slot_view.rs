//! A slot for a form.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::limits::MAX_OTHER_SLOTS;
use fsmsim_core::engine::{Machine, Session, Settings, is_missing};
use fsmsim_core::machine::{SlotId, Value, compared_values};

/// The kind of slots that the state requires.
pub(super) const REQUIRED: &str = "required";
/// The kind of slots that the state does not use.
pub(super) const OTHER: &str = "other";

#[derive(Debug, Serialize)]
pub struct SlotView<'r> {
    pub(super) name: &'r str,
    /// `required` or `optional` in the state, or `other`.
    pub(super) need: &'static str,
    pub(super) filled: bool,
    /// The value, if the slot is filled.
    value: Option<&'r Value>,
    /// The values that conditions compare the slot with.
    values: Vec<String>,
}

impl<'r> SlotView<'r> {
    /// The slots that can be filled. Slots that the state uses come first.
    pub fn all(machine: &'r Machine, settings: &Settings, session: &'r Session) -> Vec<Self> {
        let state = machine.state(session.position.state);
        let compared = compared_values(machine.conditions.iter());
        let mut wanted: BTreeSet<SlotId> = BTreeSet::new();
        let mut views = Vec::new();
        for (need, slots) in [(REQUIRED, &state.required), ("optional", &state.optional)] {
            for slot in slots {
                if wanted.insert(*slot) {
                    views.push(Self::of(machine, settings, session, &compared, *slot, need));
                }
            }
        }
        let all = machine.known_slots().iter().copied();
        // Fields of frames are set by events, not by the user.
        let others =
            all.filter(|slot| !wanted.contains(slot) && machine.frames.field(*slot).is_none());
        views.extend(
            others
                .take(MAX_OTHER_SLOTS)
                .map(|slot| Self::of(machine, settings, session, &compared, slot, OTHER)),
        );
        views
    }

    fn of(
        machine: &'r Machine,
        settings: &Settings,
        session: &'r Session,
        compared: &BTreeMap<SlotId, Vec<Value>>,
        slot: SlotId,
        need: &'static str,
    ) -> Self {
        let value = session.slots.get(slot);
        let values = compared.get(&slot).into_iter().flatten();
        Self {
            name: machine.names.slots.name(slot),
            need,
            filled: !is_missing(value, settings),
            value: Some(value).filter(|value| !value.is_null()),
            values: values.map(Value::plain).collect(),
        }
    }
}
