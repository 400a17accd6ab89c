//! What is built in, by name: intents, categories, conditions, flags, numbers, sources, states, actions, signals.
//!
//! Values and definitions come from where the program has them; what they are for stands in `texts.yaml`.

mod builtin;
mod collect;

pub use builtin::{Builtin, BuiltinKind};
pub use collect::all;
