//! Verification: checks a recorded trace of this program or an external system against a model.
//!
//! Two modes: by its [structure](verify_structure), turn by turn against the declarations of the model; and by a
//! [replay](verify_replay), which replays the input and compares the results.

mod check_context;
mod dialogue_verdict;
mod finding;
pub mod import;
mod known_frames;
mod obligation;
mod observed_dialogue;
mod property_tally;
mod property_watch;
mod reachability;
mod replay;
mod rules;
mod shadow_session;
mod structure;
mod verification;
mod verifier;

pub use dialogue_verdict::{DialogueVerdict, Judgement};
pub use finding::{Finding, Sighting, TurnPlace};
pub use observed_dialogue::verify_observed;
pub use property_tally::PropertyTally;
pub use reachability::Reachability;
pub use replay::{Unplayable, verify_replay};
pub use structure::verify_structure;
pub use verification::{Mode, Verification};
pub use verifier::Verifier;
