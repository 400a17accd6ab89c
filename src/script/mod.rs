//! Scripts: turns as people write them, in scenarios, turns files and recorded traces.

mod accepted_inputs;
mod event_turn;
mod parsed_turn;
mod scripted_dialogue;
mod turn_fields;
mod turns_file;

pub use accepted_inputs::AcceptedInputs;
pub use parsed_turn::{ParsedTurn, TurnOptions};
pub use scripted_dialogue::{DialogueName, ScriptedDialogue, read_profile};
pub use turn_fields::{read_consent, read_values};
pub use turns_file::{DialogueNames, TurnsFile, TurnsLine};
