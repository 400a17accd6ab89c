//! Scenarios: dialogues with expectations, and how they are run.

mod deadline;
mod expectation;
mod expected_names;
mod files;
mod known_failure;
mod matcher;
mod pass_threshold;
mod prepared_scenario;
mod recorded_turns;
mod runner;
#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod scenario;
mod scenario_from_trace;
mod scenario_outcome;
mod scenario_result;
mod scenario_run;
mod scenario_selection;
mod scenario_turns;
mod scenario_yaml;
mod source;
mod suite;
mod suite_counts;
mod transcript;

pub use expectation::{Expectation, ExpectationFailure, FailureCause, FieldMismatch};
pub use files::{FILE_LIMIT, ScenarioFiles, case_title, holds_scenarios, scenario_address, scenario_files};
pub use known_failure::{FailureReason, KnownFailure, KnownFailures, StaleReason};
pub use matcher::{Matcher, Mismatch};
pub use pass_threshold::{MOST_PLAYS, PassThreshold};
pub use prepared_scenario::PreparedScenario;
pub use recorded_turns::RecordedTurns;
pub use runner::{ModelKey, Runner};
pub use scenario::ScenarioText;
pub use scenario_outcome::ScenarioOutcome;
pub use scenario_result::{ScenarioEnd, ScenarioResult, ScenarioVerdict};
pub use scenario_run::{TurnCollector, UnreadTurn};
pub use scenario_selection::ScenarioSelection;
pub use scenario_turns::{ScenarioTurn, ScenarioTurns};
pub use scenario_yaml::scenario_yaml;
pub use source::{ScenarioDocument, ScenarioSource};
pub use suite::{Suite, SuiteEnd, SuitePart};
pub use suite_counts::SuiteCounts;
