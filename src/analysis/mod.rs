//! What many dialogues of a model come to.

mod simulation;
mod tally;

pub use simulation::{Actor, Simulation};
pub use tally::{Ending, Tally};
