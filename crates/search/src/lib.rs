//! The search of all dialogues that a model allows.

pub mod limits;
pub mod search;
