//! Verification: a recorded trace of our own or of another system, held against a model.
//!
//! Two ways: by its [structure](verify_structure), turn by turn, by what the model declares; and by a
//! [replay](verify_replay), which plays what went in and compares what comes out.

mod check_context;
mod debt;
mod dialogue_verdict;
mod finding;
pub mod import;
mod known_frames;
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
