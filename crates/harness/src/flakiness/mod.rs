//! What does not always come out the same: plays of scenarios that differ, by scenario, by state and by intent, in one run or
//! over several.

mod flakiness;
mod flakiness_result;
mod share_interval;

pub use flakiness::Flakiness;
pub use flakiness_result::{FlakinessResult, FlakyPart, FlakyQuestion, FlakyScenario};
pub use share_interval::ShareInterval;
