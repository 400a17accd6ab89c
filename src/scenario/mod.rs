//! Scenarios: dialogues with expectations, and how they are run.

mod coverage_set;
mod expectation;
mod matcher;
mod pass_threshold;
mod runner;
#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod scenario;
mod scenario_from_trace;
mod scenario_outcome;
mod scenario_run;
mod source;
mod suite;
mod transcript;

pub use coverage_set::CoverageSet;
pub use expectation::{Expectation, FieldMismatch};
pub use matcher::{Matcher, Mismatch};
pub use pass_threshold::{MOST_PLAYS, PassThreshold};
pub use runner::{ModelKey, Prepared, Runner, ScenarioResult, Selection};
pub use scenario::{ScenarioText, ScenarioTurns};
pub use scenario_outcome::ScenarioOutcome;
pub use scenario_run::{ExpectationFailure, FailureCause, ScenarioRun};
pub use source::ScenarioSource;
pub use suite::{FILE_LIMIT, holds_scenarios, run_suite, scenario_files};
