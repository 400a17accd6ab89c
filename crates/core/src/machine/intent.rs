//! An intent, everything that depends on it alone, and its description.

use bitflags::bitflags;

use super::{ActionId, CategoryId, PriorityId, SourceMask};

/// The events that every machine may know: nobody says them, they happen.
pub const EVENTS: [&str; 6] = ["open", "tick", "observe", "approve", "timeout", "edit"];

/// The category of all events.
pub const EVENT_CATEGORY: &str = "event";

/// An intent of the machine.
#[derive(Clone, Debug, Default)]
pub struct Intent {
    /// The categories it belongs to, in the order of their ids.
    pub categories: Box<[CategoryId]>,
    /// What it does to a dialogue.
    pub traits: Traits,
    /// The answer of a priority entry to it, where no rule gives one.
    pub default_answer: Option<(PriorityId, ActionId)>,
    /// The group it counts with when repeated questions are sought, by number.
    pub repeat_group: Option<u16>,
    /// The sources that may have something to say about it.
    pub source_filter: SourceMask,
    /// Those of them that need nothing of the state for it.
    pub anywhere: SourceMask,
}

impl Intent {
    /// Whether it belongs to the category.
    pub fn in_category(&self, category: CategoryId) -> bool {
        self.categories.binary_search(&category).is_ok()
    }

    /// Whether it does this to a dialogue.
    #[inline]
    pub fn has(&self, traits: Traits) -> bool {
        self.traits.contains(traits)
    }
}

bitflags! {
    /// What an intent does to a dialogue, whoever leads it. Which intent does what is configuration.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Traits: u16 {
        /// Asks to go back: the transition that it takes bears the mark of a step back.
        const GO_BACK = 1 << 0;
        const OBJECTION = 1 << 1;
        /// Is a positive sign.
        const POSITIVE = 1 << 2;
        /// Is a question that counts when repeated questions are sought.
        const QUESTION = 1 << 3;
        /// Was not understood.
        const UNCLEAR = 1 << 4;
        /// Is a progress intent of the flow.
        const PROGRESS = 1 << 5;
        /// Its transition has a high priority.
        const URGENT_MOVE = 1 << 6;
        /// Has the name of a trigger and so no transition of its own.
        const TRIGGER_NAME = 1 << 7;
        /// Counts as a step backward among the recent turns.
        const SETBACK = 1 << 8;
        /// Counts as a step aside among the recent turns.
        const SIDEWAYS = 1 << 9;
        /// Counts as standing still among the recent turns.
        const STUCK = 1 << 10;
        /// Counts as neutral among the recent turns.
        const SOCIAL = 1 << 11;
        /// Counts as a step forward among the recent turns.
        const ADVANCE = 1 << 12;
        /// Is no word of the user's but something that happens.
        const EVENT = 1 << 13;
        /// Is a word of the machine's own for what a turn came to: nobody means it.
        const INTERNAL = 1 << 14;
    }
}

/// What an intent means, for people, models and whoever compares words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentDescription {
    /// What it stands for; empty where nobody says.
    pub description: Box<str>,
    /// What people say who mean it.
    pub examples: Box<[Box<str>]>,
    /// Other intents that it is easily taken for, each with what tells them apart.
    pub confused_with: Box<[(Box<str>, Box<str>)]>,
}

impl IntentDescription {
    /// Whether anything is said about the intent.
    pub fn is_given(&self) -> bool {
        !self.description.is_empty() || !self.examples.is_empty()
    }
}
