//! The runtime: with what a dialogue starts, who is around it, and the one loop that plays its turns for every face.

mod dialogue_runner;
mod dialogue_setup;
mod environment;

pub use dialogue_runner::DialogueRunner;
pub use dialogue_setup::{DialogueSetup, read_setup, set_up};
pub use environment::Environment;
