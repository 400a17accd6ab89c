//! Scenarios, snapshots, suites, and everything that is computed from runs.

pub mod coverage;
pub mod diff;
pub mod eval;
pub mod flakiness;
pub mod generate;
pub mod graph;
pub mod interactive;
pub mod limits;
pub mod lint;
pub mod mutate;
pub mod review;
pub mod scenario;
pub mod selection;
pub mod snapshot;
pub mod statistics;
pub mod suite;
pub mod verify;
