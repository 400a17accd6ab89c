//! Runs scenarios: a single loop for all front ends, with observers.

mod edited_file;
mod expectation_updates;
mod suite_observer;
mod suite_run;

pub use edited_file::ExpectationEdit;
pub use expectation_updates::{ExpectationUpdates, RefusedUpdate};
pub use suite_observer::{FinishedScenario, SuiteObserver, SuitePart};
pub use suite_run::{SuiteEnd, report_loaded};
