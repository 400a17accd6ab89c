//! Simulation: many dialogues with simulated users, and the reasons why they end.

mod compiled_persona;
mod end_cause;
mod model_user;
mod persona;
mod persona_folder;
mod phrase_samples;
mod sample_values;
mod shared_result;
mod simulated_user;
mod simulation;
mod simulation_result;
mod spoken_intents;
mod summary;
mod turn_counts;
mod user;
mod user_move;

pub use compiled_persona::CompiledPersona;
pub use end_cause::{EndCause, EndCauseCount, EndReason, Ending};
pub use persona::{Persona, Weight, WeightTarget};
pub use persona_folder::PersonaFolder;
pub use simulation::{SimulatedDialogue, Simulation};
pub use simulation_result::{
    ClassShare, CounterMean, EndingShare, MisreadIntent, ModelOrder, PersonaResult, PhaseEnds,
    SimulationResult, share,
};
pub use spoken_intents::SpokenIntents;
pub use summary::Summary;
pub use turn_counts::{TurnCounts, quotient};
pub use user_move::UserMove;
