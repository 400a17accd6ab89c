//! The world outside of a dialogue: stores that answer what its effects ask for.

mod backend;
mod memory_twin;
#[cfg(feature = "sqlite")]
mod sqlite_twin;
mod twin;
#[cfg(feature = "sqlite")]
mod twin_file;
#[cfg(feature = "sqlite")]
mod twin_format;
mod twin_spec;

pub use backend::{Backend, FixtureBackend, NoBackend};
pub use memory_twin::MemoryTwin;
#[cfg(feature = "sqlite")]
pub use sqlite_twin::SqliteTwin;
pub use twin::{ReadOutcome, Twin, WriteOutcome};
#[cfg(feature = "sqlite")]
pub use twin_file::{Readiness, TwinFile};
pub use twin_spec::TwinSpec;
