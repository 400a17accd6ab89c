//! Who speaks where the script says nothing: mocks, live models and a bank of examples that answer what the engine needs from outside, and
//! simulated users that talk by a seed.
//!
//! Chance and the network live here and nowhere below: the engine is told what was said and meant, and never draws it.

mod answerer;
mod bank;
mod chain;
mod chance;
#[cfg(feature = "live")]
mod live;
mod mock;
mod mock_rule;
mod outside;
mod persona;
mod persona_folder;
#[cfg(feature = "live")]
mod prompt;
mod provider;
mod repertoire;
mod simulated_user;

pub use answerer::{Answerer, Attempt, Failure, FailureKind, Nobody, Reply, Request};
pub use bank::{Bank, Likeness};
pub use chain::Chain;
pub use chance::Chance;
pub use mock::{Mock, MockScript};
pub use outside::Outside;
pub use persona::{Named, Persona, Weight, What};
pub use persona_folder::PersonaFolder;
pub use provider::Provider;
pub use repertoire::Repertoire;
pub use simulated_user::SimulatedUser;
