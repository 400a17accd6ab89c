//! Runs of scenarios as every face makes them: what is kept of them, what waits for a decision, and why.

mod kept_run;
mod loaded_findings;
mod review_run;
mod suite_run;

pub use kept_run::KeptRun;
pub use loaded_findings::tell_loaded;
pub use review_run::{ReviewRequest, ReviewRun};
pub use suite_run::{SuiteProgress, SuiteRun, SuiteRunResult};
