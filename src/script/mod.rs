//! Scripts: turns as people write them, in scenarios, turns files and recorded traces.

mod parsed_turn;
mod scripted_dialogue;

pub use parsed_turn::{ParsedTurn, TurnOptions, is_true, parse_turn, read_consent, read_mode, read_values};
pub use scripted_dialogue::{ScriptedDialogue, duplicate_dialogue, read_profile};
