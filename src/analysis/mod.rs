//! What many dialogues of a model come to.

mod model_user;
mod simulation;
mod tally;
mod user;

pub use simulation::{Actor, Simulation};
pub use tally::{Ending, Tally};
