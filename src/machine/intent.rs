//! An intent and everything that depends on it alone.

use super::id::{ActionId, CategoryId, PriorityId};
use super::source::SourceMask;

/// An intent of the machine.
#[derive(Clone, Debug, Default)]
pub struct Intent {
    /// The categories it belongs to, in the order of their ids.
    pub categories: Box<[CategoryId]>,
    /// The sets it belongs to that sources ask for.
    pub roles: Roles,
    /// The answer to this price question that needs no rule.
    pub price_action: Option<ActionId>,
    /// The answer to this question about facts that needs no rule.
    pub fact_action: Option<ActionId>,
    /// The answer of a priority entry to it, where no rule gives one.
    pub default_answer: Option<(PriorityId, ActionId)>,
    /// The group it counts with when repeated questions are sought, by number.
    pub repeat_group: Option<u16>,
    /// The sources that may have something to say about it.
    pub interest: SourceMask,
    /// Those of them that need nothing of the state for it.
    pub anywhere: SourceMask,
}

impl Intent {
    /// Whether it belongs to the category.
    #[must_use]
    pub fn in_category(&self, category: CategoryId) -> bool {
        self.categories.binary_search(&category).is_ok()
    }
}

macro_rules! roles {
    ($($name:ident = $bit:literal, $doc:literal;)*) => {
        /// A set of roles that an intent plays. What plays which role is configuration.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Roles(u32);

        impl Roles {
            $(#[doc = $doc] pub const $name: Self = Self(1 << $bit);)*

            /// Whether all roles of `other` are in this set.
    #[inline]
            #[must_use]
            pub fn has(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Whether some role of `other` is in this set.
    #[inline]
            #[must_use]
            pub fn any(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Adds the roles of `other`.
            pub fn add(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }
    };
}

roles! {
    GO_BACK = 0, "Asks to go back.";
    OBJECTION = 1, "Is an objection.";
    POSITIVE = 2, "Is a positive sign.";
    QUESTION = 3, "Is a question of the category `question`.";
    ANY_QUESTION = 4, "Is a question of any category.";
    PRICE = 5, "Asks for the price.";
    FACT = 6, "Asks for facts.";
    RETURN_TRIGGER = 7, "Ends the handling of an objection.";
    ESCALATION = 8, "Asks for a human.";
    SENSITIVE = 9, "Touches a sensitive topic.";
    FRUSTRATION = 10, "Shows frustration.";
    HIGH_VALUE = 11, "Belongs to a large customer.";
    URGENT_MOVE = 12, "Its transition has a high priority.";
    UNCLEAR = 13, "Was not understood.";
    AMBIGUOUS = 14, "Needs a question back.";
    PROGRESS = 15, "Is a progress intent of the flow.";
    PATTERN = 16, "Is watched by an intent pattern.";
    TRIGGER_NAME = 17, "Has the name of a trigger and so no transition of its own.";
    SETBACK = 18, "Counts as a step backward in the window.";
    SIDEWAYS = 19, "Counts as a step aside in the window.";
    STUCK = 20, "Counts as standing still in the window.";
    SOCIAL = 21, "Counts as neutral in the window.";
    ADVANCE = 22, "Counts as a step forward in the window.";
}
