//! Review of pending snapshots, and causes of failed scenarios.

mod former_models;
mod pending_scenarios;
mod review_decision;
mod review_entry;
mod review_list;

pub use former_models::FormerModels;
pub use pending_scenarios::PendingScenarios;
pub use review_decision::ReviewDecision;
pub use review_entry::{ReviewEntry, ReviewHindrance};
pub use review_list::ReviewList;
