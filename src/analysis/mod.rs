//! What is found out about a model: by looking at it, and by what many of its dialogues come to.

mod lint;
mod model_user;
mod simulation;
mod tally;
mod user;

pub use lint::lint;
pub use simulation::{Actor, Simulation};
pub use tally::{Ending, Tally};
