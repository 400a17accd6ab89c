//! Simulation: many dialogues with simulated users, and how they end.

mod compiled_persona;
mod model_user;
mod persona;
mod persona_folder;
mod simulated_user;
mod simulation;
mod simulation_result;
mod summary;
mod user;

pub use compiled_persona::CompiledPersona;
pub use persona::{Persona, Weight, WeightTarget};
pub use persona_folder::PersonaFolder;
pub use simulation::Simulation;
pub use simulation_result::{ClassShare, CounterMean, EndingShare, PersonaResult, SimulationResult, TurnCounts, share};
pub use summary::{Ending, Summary};
