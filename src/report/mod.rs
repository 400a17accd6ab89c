//! Reports: writers of results.

mod console;
mod grid;
mod simulation;

pub use console::{Console, SnapshotOutcome, Tally};
pub use simulation::SimulationReport;
