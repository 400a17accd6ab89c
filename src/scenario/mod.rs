//! Scenarios: dialogues with expectations, and how they are run.

mod edits;
mod expectation;
mod matcher;
mod play;
mod played;
mod recorded;
mod requirement;
mod retrace;
mod runner;
#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod scenario;
mod source;
mod suite;
mod transcript;
mod versus;

pub use edits::Edits;
pub use expectation::{Expectation, FieldMismatch};
pub use matcher::{Matcher, Mismatch};
pub use play::{Cause, Failure, Play};
pub use played::Played;
pub use recorded::Recorded;
pub use requirement::{MOST_PLAYS, Requirement};
pub use runner::{ModelKey, Prepared, Runner, ScenarioResult, Selection};
pub use scenario::{ScenarioText, ScenarioTurns};
pub use source::ScenarioSource;
pub use suite::{FILE_LIMIT, holds_scenarios, run_suite, scenario_files};
pub use versus::{Contender, Outcome, Versus};
