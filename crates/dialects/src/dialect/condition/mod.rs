//! Conditions as people write them: names, `and`/`or`/`not`, and questions. Shared by all front ends.

mod compiler;
mod declared;
mod library;
mod question;
mod strangers;

pub use compiler::Conditions;
pub(crate) use declared::unknown;
pub(super) use declared::{effect_named, keys, numbered, state_named, state_names};
pub use declared::{field_named, slot_named};
pub use library::built_in;

use fsmsim_core::machine::Profile;

/// Whether this is the name of a built-in condition, so that a definition cannot give it to one of its own.
pub fn is_built_in_condition(name: &str) -> bool {
    library::find(name, Profile::default().switches()).is_some()
}

/// Categories that the built-in conditions ask for. A configuration may lack them; then nothing belongs to them.
const BUILT_IN_CATEGORIES: [&str; 6] = [
    "objection",
    "positive",
    "question",
    "price_related",
    "technical_question",
    "spin_progress",
];
