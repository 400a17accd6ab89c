//! The values of slots in utterances.

mod slot_reader;
mod value_reader;

pub use value_reader::{ReadValue, ValueReader};
