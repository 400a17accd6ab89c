//! Conditions as people write them: names, `and`/`or`/`not`, and questions. Shared by all front ends.

mod compiler;
mod library;
mod question;
mod strangers;

pub use compiler::Conditions;
pub use question::{field_named, slot_named};

/// Categories that the built-in conditions ask for. A configuration may lack them; then nothing belongs to them.
const BUILT_IN_CATEGORIES: [&str; 6] =
    ["objection", "positive", "question", "price_related", "technical_question", "spin_progress"];
