//! Driving dialogues: projects, models by path, and the one loop that plays turns for every face.

mod company;
mod dialogue;
mod library;
mod lint_levels;
mod player;
mod project;
mod revision;
mod shelf;
mod start;
mod turn_reader;

pub use crate::dialect::is_definition;
pub use company::Company;
pub use dialogue::{DialogueText, duplicate_dialogue, read_profile};
pub use library::{Library, ModelName};
pub use lint_levels::{LintLevel, LintLevels};
pub use player::Player;
pub use project::{Project, unknown_profile};
pub use revision::Revision;
pub use shelf::{Claims, Shelf, ShelfMark};
pub use start::{Opening, open_dialogue, start_dialogue};
pub use turn_reader::{ReadTurn, TurnRules, read_turn};
