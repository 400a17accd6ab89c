//! What is found out about a model: by looking at it, and by what many of its dialogues come to.

mod coverage;
mod lint;
mod model_user;
mod simulation;
mod tally;
mod user;

pub use coverage::{Coverage, Kind, ModelCoverage, Share};
pub use lint::lint;
pub use simulation::{Actor, Simulation};
pub use tally::{Ending, Tally};
