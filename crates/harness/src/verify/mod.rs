//! Verification: checks a recorded trace, from this program or an external system, against a model.
//!
//! There are two modes. The [structure](verify_structure) mode checks each turn against the declarations of the model.
//! The [replay](verify_replay) mode replays the inputs and compares the results.

mod check_context;
mod dialogue_verdict;
mod finding;
pub mod follow;
pub mod import;
mod known_frames;
mod known_violations;
mod obligation;
mod observed_dialogue;
mod property_tally;
mod property_watch;
mod reachability;
mod recorded_dialogue;
mod replay;
mod rules;
mod shadow_session;
mod structure;
mod verification;
mod verifier;

pub use dialogue_verdict::{DialogueVerdict, Judgement};
pub use finding::{Finding, Sighting, TurnPlace};
pub use known_violations::{KnownViolations, ViolationKind};
pub use observed_dialogue::verify_observed;
pub use property_tally::PropertyTally;
pub use reachability::Reachability;
pub use recorded_dialogue::RecordedDialogue;
pub use replay::{Unplayable, verify_replay};
pub use structure::verify_structure;
pub use verification::{Mode, Verification};
pub use verifier::{OpenTrace, ReachableStates, Verifier};
