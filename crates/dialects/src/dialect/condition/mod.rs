//! Conditions: names, `and`/`or`/`not`, and questions. All front ends share them.

mod compiler;
mod declared;
mod library;
mod question;
mod unknown_references;

pub use compiler::Conditions;

pub(super) use declared::{effect_named, keys, numbered, state_named, state_names};
pub use declared::{field_named, slot_named};
pub use library::built_in;

use fsmsim_core::machine::Profile;

/// Whether a built-in condition has this name, so that a definition cannot use it.
pub fn is_built_in_condition(name: &str) -> bool {
    library::find(name, Profile::default().switches()).is_some()
}

/// Categories that built-in conditions refer to. They are empty if the configuration does not define them.
const BUILT_IN_CATEGORIES: [&str; 6] = [
    "objection",
    "positive",
    "question",
    "price_related",
    "technical_question",
    "spin_progress",
];
