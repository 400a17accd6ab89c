//! Snapshots: the accepted results of scenarios.

mod file;
mod left_snapshots;
mod pending_snapshot;
mod snapshot_checker;
mod snapshot_difference;
mod snapshot_ledger;
mod snapshot_text;

pub use left_snapshots::{LeftSnapshots, Orphan, Pruning, Successor};
pub use pending_snapshot::PendingSnapshot;
pub(crate) use snapshot_checker::ACCEPTED;
pub use snapshot_checker::{NewSnapshot, SnapshotChecker, SnapshotMode, SnapshotOutcome};
pub use snapshot_difference::{SnapshotDifference, TurnDifference, TurnPresence};
pub use snapshot_ledger::SnapshotLedger;
pub use snapshot_text::{FlowStyle, SnapshotRecord, SnapshotText};
