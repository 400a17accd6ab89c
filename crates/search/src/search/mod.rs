//! The search: a [`SearchedModel`] has a machine and knows which parts of a session its turns read. [`Space::search`] visits all
//! its states, breadth first. [`questions`] answers what is asked of every model, and [`Product`] checks one property.

mod answers;
mod bounds;
mod equivalence;
mod exploration;
mod finding;
mod goal;
mod graph;
mod inputs;
mod interner;
mod pair_player;
mod pair_side;
mod pair_table;
mod partition;
mod player;
mod predicate;
mod product;
mod projection;
mod questions;
mod replay;
mod sampled;
mod searched_model;
mod sight;
mod space;
mod tuple_table;
mod untried;
mod witness;

pub use bounds::{Bounds, SearchBound, SearchProgress};
pub use equivalence::{Equivalence, PairedTurn, compare};
pub use exploration::{Exploration, StatePart, explore};
pub use finding::{SearchFinding, SearchQuestion, SearchVerdict};
pub use goal::{GoalSearch, Route, SearchGoal};
pub use pair_side::SeenTurn;
pub use product::Product;
pub use questions::questions;
pub use replay::{Replay, ReplayedTurn};
pub use searched_model::SearchedModel;
pub use space::Space;
pub use witness::{Witness, WitnessStep};
