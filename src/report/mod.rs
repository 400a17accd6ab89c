//! Reports: writers of results.

mod console;

pub use console::{Console, SnapshotOutcome, Tally};
