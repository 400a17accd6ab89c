//! Scripts: hand-written or recorded turns of scenarios, turns files and traces.

mod accepted_inputs;
mod event_turn;
mod known_names;
mod parsed_turn;
mod scripted_dialogue;
mod turn_fields;
mod turn_names;
mod turns_file;

pub use accepted_inputs::{AcceptedInputs, missing_examples};
pub use event_turn::is_time;
pub use known_names::{FOREIGN, KnownNames};
pub use parsed_turn::{ParsedTurn, TurnOptions, check_turn_keys};
pub use scripted_dialogue::{DialogueName, ScriptedDialogue, read_profile};
pub use turn_fields::{read_consent, read_values};
pub use turn_names::{MAX_FRUSTRATION, said_trigger};
pub use turns_file::{DialogueNames, TurnsFile, TurnsLine};
