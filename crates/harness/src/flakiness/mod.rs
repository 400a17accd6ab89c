//! Flakiness: differences between the trials of a scenario, by scenario, by state and by intent, in one or more runs.

mod flakiness;
mod flakiness_result;
mod share_interval;

pub use flakiness::Flakiness;
pub use flakiness_result::{FlakinessResult, FlakyPart, FlakyQuestion, FlakyScenario};
pub use share_interval::ShareInterval;
