//! Who speaks where the script says nothing: simulated users, without a model and by a seed.
//!
//! Chance lives here and nowhere below: the engine is told what was said, never draws it.

mod chance;
mod persona;
mod persona_folder;
mod repertoire;
mod simulated_user;

pub use chance::Chance;
pub use persona::{Named, Persona, Weight, What};
pub use persona_folder::PersonaFolder;
pub use repertoire::Repertoire;
pub use simulated_user::SimulatedUser;
