//! The world outside of a dialogue: stores that answer what its effects ask for.

mod twin;

pub use twin::{MemoryTwin, NoTwin, ReadTwin, Twin, WrittenTwin};
