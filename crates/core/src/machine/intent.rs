//! An intent: its data that does not depend on the state, and its description.

use bitflags::bitflags;

use super::{ActionId, CategoryId, PriorityId, SourceMask};
use fsmsim_syntax::diagnostic::Span;

/// The events that every machine can have. They are not user intents.
pub const EVENTS: [&str; 6] = ["open", "tick", "observe", "approve", "timeout", "edit"];

/// The category of all events.
pub const EVENT_CATEGORY: &str = "event";

/// An intent of the machine.
#[derive(Clone, Debug, Default)]
pub struct Intent {
    /// The categories of the intent, in the order of their IDs.
    pub categories: Box<[CategoryId]>,
    /// The effects of the intent on a dialogue.
    pub traits: Traits,
    /// The default answer from a priority entry, used if no rule answers the intent.
    pub default_answer: Option<(PriorityId, ActionId)>,
    /// The group of the intent for detecting repeated questions.
    pub repeat_group: Option<u16>,
    /// The sources that can make proposals for the intent.
    pub source_filter: SourceMask,
    /// The sources that can make proposals for the intent in any state.
    pub anywhere: SourceMask,
}

impl Intent {
    /// Whether the intent belongs to the category.
    pub fn in_category(&self, category: CategoryId) -> bool {
        self.categories.binary_search(&category).is_ok()
    }

    /// Whether the intent has these traits.
    #[inline]
    pub fn has(&self, traits: Traits) -> bool {
        self.traits.contains(traits)
    }
}

bitflags! {
    /// The effects of an intent on a dialogue, independent of the policy. The configuration assigns them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Traits: u16 {
        /// Asks to go back: its transition is marked as going back.
        const GO_BACK = 1 << 0;
        const OBJECTION = 1 << 1;
        /// Is a positive signal.
        const POSITIVE = 1 << 2;
        /// Is a question that counts for detecting repeated questions.
        const QUESTION = 1 << 3;
        /// Was not understood.
        const UNCLEAR = 1 << 4;
        /// Is a progress intent of the flow.
        const PROGRESS = 1 << 5;
        /// Its transition has high priority.
        const URGENT_MOVE = 1 << 6;
        /// Has the name of a trigger, and therefore no transition.
        const TRIGGER_NAME = 1 << 7;
        /// Counts as a step backward in the recent turns.
        const SETBACK = 1 << 8;
        /// Counts as a sideways step in the recent turns.
        const SIDEWAYS = 1 << 9;
        /// Counts as no progress in the recent turns.
        const STUCK = 1 << 10;
        /// Counts as neutral in the recent turns.
        const SOCIAL = 1 << 11;
        /// Counts as a step forward in the recent turns.
        const ADVANCE = 1 << 12;
        /// Is an event, not a user intent.
        const EVENT = 1 << 13;
        /// Is an internal name for the outcome of a turn, not a user intent.
        const INTERNAL = 1 << 14;
        /// Is the trigger of utterances that were not recognized, not a user intent.
        const FALLBACK = 1 << 15;
    }
}

/// The description of an intent, for users, models and similarity checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentDescription {
    /// The meaning; empty if not given.
    pub description: Box<str>,
    /// Utterances with this intent.
    pub examples: Box<[Box<str>]>,
    /// The locations of the examples, in the same order.
    pub example_spans: Box<[Span]>,
    /// Other intents that it is easily confused with, each with the difference.
    pub confused_with: Box<[(Box<str>, Box<str>)]>,
}

impl IntentDescription {
    /// Whether the intent has a description or examples.
    pub fn is_given(&self) -> bool {
        !self.description.is_empty() || !self.examples.is_empty()
    }
}
