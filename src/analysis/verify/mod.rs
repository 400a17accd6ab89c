//! Verification: a recorded trace of our own or of another system, held against a model.
//!
//! Two ways: by its [structure](verify_structure), turn by turn, by what the model declares; and by a
//! [replay](verify_replay), which plays what went in and compares what comes out.

mod finding;
mod ground;
mod memory;
mod replay;
mod rules;
mod sight;
mod structure;
mod tally;

pub use finding::Finding;
pub use ground::Ground;
pub use memory::Memory;
pub use replay::{Unplayable, verify_replay};
pub use sight::{Breach, Sight};
pub use structure::verify_structure;
pub use tally::{Mode, VerificationTally};
