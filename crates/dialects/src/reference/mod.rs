//! Describes the built-in elements: intents, categories, conditions, flags, numbers, sources, states, actions, signals.
//!
//! Values and definitions come from the program. Descriptions come from `texts.yaml`.

mod builtin;
mod collect;

pub use builtin::{Builtin, BuiltinKind};
pub use collect::{all, default_priorities};
