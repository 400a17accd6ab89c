//! Generates scenarios for the items of a model that no scenario covers.
//!
//! [`generate`] searches every dialogue of the model, and collects the turns that cover missing items
//! ([`covering_turns`]). A scenario goes from one such turn to the nearest other one ([`route`]). It is played before it
//! is kept.

mod covering_turns;
mod generation;
mod goal;
mod route;

pub use generation::{GenerateOptions, GeneratedScenario, Generation, generate};
