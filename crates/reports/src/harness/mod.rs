//! Scenario runs for all front ends: recorded results, pending snapshots and their causes, and saved scenarios.

mod file_watch;
mod reported_findings;
mod review_run;
mod run_recorder;
mod saved_scenario;
mod scenario_path;
mod suite_run;

pub use file_watch::{FileWatch, SavedFiles, matters};
pub use review_run::{DecidedResults, ReviewRequest, ReviewRun};
pub use run_recorder::RunRecorder;
pub use saved_scenario::SavedScenario;
pub use scenario_path::ScenarioPath;
pub use suite_run::{SuiteProgress, SuiteRun, SuiteRunResult};
