//! Scenarios: dialogues with expectations, and how they are run.

mod addressed_scenario;
mod case_findings;
mod cases;
mod checked_file;
mod deadline;
mod expectation;
mod expected_names;
mod file_opener;
mod files;
mod heard_turn;
mod known_failure;
mod long_turns;
mod matcher;
mod nearest_match;
mod pass_threshold;
mod play_tally;
mod prepared_scenario;
mod recorded_turns;
mod replies;
mod runner;
#[expect(
    clippy::module_inception,
    reason = "the file is named after its one type"
)]
mod scenario;
mod scenario_document;
mod scenario_draft;
mod scenario_from_trace;
mod scenario_outcome;
mod scenario_result;
mod scenario_run;
mod scenario_selection;
mod scenario_turns;
mod scenario_yaml;
mod shared;
mod skipped;
mod source;
mod standing_expectations;
mod subject_census;
mod subject_run;
mod suite;
mod suite_counts;
mod transcript;

pub use addressed_scenario::AddressedScenario;
pub use case_findings::CaseFindings;
pub use cases::{ParameterValues, ScenarioCase};
pub use checked_file::CheckedFile;
pub use expectation::{Expectation, ExpectationFailure, FailureCause, FieldMismatch};
pub use file_opener::{FileOpener, FilePart};
pub use files::{
    FILE_LIMIT, ScenarioFiles, case_title, holds_scenarios, is_not_run, scenario_address,
    scenario_files,
};
pub use known_failure::{FailureReason, KnownFailure, KnownFailures, StaleReason};
pub use long_turns::LongTurns;
pub use matcher::{Matcher, Mismatch, NumberBound};
pub use pass_threshold::{MOST_PLAYS, PassThreshold};
pub use play_tally::{AnswerTally, PlayTally, QuestionTally, StateTally};
pub use prepared_scenario::PreparedScenario;
pub use recorded_turns::RecordedTurns;
pub use runner::{ModelKey, Runner, UNAGREED};
pub use scenario::ScenarioText;
pub use scenario_document::ScenarioDocument;
pub use scenario_draft::ScenarioDraft;
pub use scenario_outcome::ScenarioOutcome;
pub use scenario_result::{ScenarioEnd, ScenarioResult, ScenarioVerdict};
pub use scenario_run::{TurnCollector, UnreadKind, UnreadTurn};
pub use scenario_selection::ScenarioSelection;
pub use scenario_turns::{ScenarioTurn, ScenarioTurns};
pub use scenario_yaml::scenario_yaml;
pub use shared::{DEFAULTS, ScenarioLoader};
pub use source::ScenarioSource;
pub use standing_expectations::StandingExpectations;
pub use subject_census::{SubjectCensus, SubjectPlace};
pub use subject_run::SubjectRun;
pub use suite::{Suite, SuiteEnd, SuitePart};
pub use suite_counts::SuiteCounts;
pub use transcript::parse_transcript;
