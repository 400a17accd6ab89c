//! The stores outside of a dialogue: backends for effects, searchable knowledge, and saved sessions.

mod backend;
mod effect_key;
#[cfg(feature = "sqlite")]
mod knowledge_index;
mod memory;
mod memory_twin;
mod performed_effects;
mod search_words;
#[cfg(feature = "sqlite")]
mod session_file;
mod session_id;
#[cfg(feature = "sqlite")]
mod session_lock;
mod session_name;
#[cfg(feature = "sqlite")]
mod session_rows;
#[cfg(feature = "sqlite")]
mod session_store;
#[cfg(feature = "sqlite")]
mod session_tree;
#[cfg(feature = "sqlite")]
mod sqlite_twin;
#[cfg(feature = "sqlite")]
mod store_file;
#[cfg(feature = "sqlite")]
mod store_format;
mod stored_session;
mod stored_tree;
mod twin;
#[cfg(feature = "sqlite")]
mod twin_file;
mod twin_spec;

pub use backend::{Backend, FixtureBackend, NoBackend};
pub use effect_key::EffectKey;
#[cfg(feature = "sqlite")]
pub use knowledge_index::KnowledgeIndex;
pub use memory::{
    Artifact, ArtifactKind, Audit, AuditEntry, AuditKind, AuditedTurn, ChainHead, LinkedEntry,
    Memory, RecallQuery, Recalled, Remembered, VolatileAudit, VolatileMemory, derived_id,
};
#[cfg(feature = "sqlite")]
pub use memory::{
    AuditCheck, AuditFault, Explanation, Found, MemoryFile, SqliteAudit, SqliteMemory,
};
pub use memory_twin::MemoryTwin;
#[cfg(feature = "sqlite")]
pub use session_file::SessionFile;
pub use session_id::SessionId;
pub use session_name::SessionName;
#[cfg(feature = "sqlite")]
pub use session_store::SessionStore;
#[cfg(feature = "sqlite")]
pub use session_tree::StoredPath;
#[cfg(feature = "sqlite")]
pub use sqlite_twin::SqliteTwin;
pub use stored_session::{ListedSession, StoredAnswer, StoredSession, StoredTurn};
pub use stored_tree::{Checkpoint, TreePlace, TreeRoot, TurnBranch, TurnNode, TypedLine};
pub use twin::{ReadOutcome, Twin, WriteOutcome};
#[cfg(feature = "sqlite")]
pub use twin_file::{Readiness, TwinFile};
pub use twin_spec::TwinSpec;
