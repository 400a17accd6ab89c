//! The runtime: with what a dialogue starts, who is around it, and the one loop that plays its turns for every face.

mod dialogue_runner;
mod dialogue_setup;
mod environment;
mod start_files;
mod start_reader;

pub use dialogue_runner::{DialogueRunner, RecordedTurn};
pub use dialogue_setup::DialogueSetup;
