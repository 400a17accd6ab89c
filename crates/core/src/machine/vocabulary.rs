//! The vocabulary of a model: the names that it declares or uses. Front ends offer no other names.

use super::{IdVec, Intent, IntentId, Names, SlotId, Traits};

/// The vocabulary of a model, computed once when the machine is built.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) intents: Box<[IntentId]>,
    pub(super) slots: Box<[SlotId]>,
    pub(super) has_profiles: bool,
}

impl Vocabulary {
    /// Collects the names. `internal` is a slot that only the engine writes.
    pub(super) fn new(
        slots: &Names<SlotId>,
        intents: &IdVec<IntentId, Intent>,
        internal: Option<SlotId>,
        has_profiles: bool,
    ) -> Self {
        let unspoken = Traits::TRIGGER_NAME | Traits::INTERNAL | Traits::FALLBACK | Traits::EVENT;
        let spoken = intents
            .pairs()
            .filter(|(_, intent)| !intent.traits.intersects(unspoken));
        let known = slots.ids().filter(|id| Some(*id) != internal);
        Self {
            intents: spoken.map(|(id, _)| id).collect(),
            slots: known.collect(),
            has_profiles,
        }
    }
}
