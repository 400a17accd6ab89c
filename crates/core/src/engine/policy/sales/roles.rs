//! The roles that intents play for the sources of a sales dialogue.

use bitflags::bitflags;

bitflags! {
    /// A set of roles that an intent plays for the sources. What plays which role is configuration.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Roles: u16 {
        /// Is a question of any category.
        const ANY_QUESTION = 1 << 0;
        /// Asks for the price.
        const PRICE = 1 << 1;
        /// Asks for facts.
        const FACT = 1 << 2;
        /// Ends the handling of an objection.
        const RETURN_TRIGGER = 1 << 3;
        /// Asks for a human.
        const ESCALATION = 1 << 4;
        /// Touches a sensitive topic.
        const SENSITIVE = 1 << 5;
        /// Shows frustration.
        const FRUSTRATION = 1 << 6;
        /// Belongs to a large customer.
        const HIGH_VALUE = 1 << 7;
        /// Needs a question back.
        const AMBIGUOUS = 1 << 8;
        /// Is watched by an intent pattern.
        const PATTERN = 1 << 9;
    }
}
