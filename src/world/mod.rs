//! The world outside of a dialogue: stores that answer what its effects ask for.

mod backend;
mod memory_twin;
mod sqlite_twin;
mod twin;
mod twin_file;
mod twin_format;
mod twin_spec;

pub use backend::{Backend, FixtureBackend, NoBackend};
pub use memory_twin::MemoryTwin;
pub use sqlite_twin::SqliteTwin;
pub use twin::{ReadOutcome, Twin, WriteOutcome};
pub use twin_file::{Readiness, TwinFile};
pub use twin_spec::TwinSpec;
