//! The memory of cycles: artifacts that tasks store and share.

mod artifact;
mod audit;
#[cfg(feature = "sqlite")]
mod audit_check;
mod audit_entry;
mod canonical;
mod derived_id;
#[cfg(feature = "sqlite")]
mod explanation;
mod memory;
#[cfg(feature = "sqlite")]
mod memory_file;
mod recall_query;
#[cfg(feature = "sqlite")]
mod sqlite_audit;
#[cfg(feature = "sqlite")]
mod sqlite_memory;
mod volatile_audit;
mod volatile_memory;

pub use artifact::{Artifact, ArtifactKind, Remembered};
pub use audit::Audit;
#[cfg(feature = "sqlite")]
pub use audit_check::{AuditCheck, AuditFault};
pub use audit_entry::{AuditEntry, AuditKind, AuditedTurn, ChainHead, LinkedEntry};
pub use derived_id::derived_id;
#[cfg(feature = "sqlite")]
pub use explanation::{Explanation, Found};
pub use memory::{Memory, Recalled};
#[cfg(feature = "sqlite")]
pub use memory_file::MemoryFile;
pub use recall_query::RecallQuery;
#[cfg(feature = "sqlite")]
pub use sqlite_audit::SqliteAudit;
#[cfg(feature = "sqlite")]
pub use sqlite_memory::SqliteMemory;
pub use volatile_audit::VolatileAudit;
pub use volatile_memory::VolatileMemory;
