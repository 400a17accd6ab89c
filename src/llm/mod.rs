//! Who speaks where the script says nothing: mocks, live models and a bank of examples that answer what the engine needs
//! from outside, cassettes that keep what was answered, and simulated users that talk by a seed.
//!
//! Chance and the network live here and nowhere below: the engine is told what was said and meant, and never draws it.

mod answerer;
mod bank;
mod budget;
mod cassette;
mod chain;
mod chain_spec;
mod chance;
mod kind;
mod link;
mod link_spec;
#[cfg(feature = "live")]
mod live;
mod mock;
mod mock_rule;
mod outside;
mod persona;
mod persona_folder;
mod prompt;
mod provider;
mod repertoire;
mod simulated_user;
mod task;
mod usage;

pub use answerer::{Answerer, Attempt, Failure, FailureKind, Nobody, Reply, Request, Tokens};
pub use bank::Bank;
pub use budget::Budget;
pub use cassette::{Cassette, Recorder, Recording, Replayer, Taken, Volatile};
pub use chain::Chain;
pub use chain_spec::{ChainFault, ChainSpec, RawChain};
pub use chance::Chance;
pub use kind::{NeedKind, Sampling};
pub use link::Link;
pub use link_spec::{LinkSpec, RawLink};
#[cfg(feature = "live")]
pub use live::Connection;
pub use mock::{Mock, MockScript};
pub use outside::{Occasion, Outside, Slot};
pub use persona::{Named, Persona, Weight, What};
pub use persona_folder::PersonaFolder;
pub use prompt::Prompt;
pub use provider::{Provider, Structured, Wire};
pub use repertoire::Repertoire;
pub use simulated_user::SimulatedUser;
pub use task::{Line, Offer, Scene, Speaker, Task};
pub use usage::Usage;
