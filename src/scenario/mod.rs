//! Scenarios: dialogues with expectations, and how they are run.

mod expectation;
mod matcher;
mod runner;
#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod scenario;
mod suite;

pub use expectation::{Expectation, FieldMismatch};
pub use matcher::{Matcher, Mismatch};
pub use runner::{Failure, ModelKey, Played, Prepared, Runner, ScenarioResult, ScenarioSource, Selection};
pub use scenario::{ScenarioText, ScenarioTurns};
pub use suite::{FILE_LIMIT, run_suite, scenario_files};
