//! Flakiness: differences between the trials of a scenario in one or more runs, by scenario, by state and by intent.

mod flakiness;
mod flakiness_result;
mod share_interval;

pub use flakiness::Flakiness;
pub use flakiness_result::{FlakinessResult, FlakyPart, FlakyQuestion, FlakyScenario};
pub use share_interval::ShareInterval;
