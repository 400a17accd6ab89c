//! Runs scenarios: one loop for all front ends, and the observers that follow it.

mod case_findings;
mod loaded_findings;
mod suite_observer;
mod suite_run;

pub use loaded_findings::tell_loaded;
pub use suite_observer::{FinishedScenario, SuiteObserver, SuitePart};
pub use suite_run::SuiteEnd;
