//! An interactive dialogue: it is run turn by turn, supports undo, redo and branches, and can be replayed on an edited
//! model. The REPL shows it as text, and the studio as a page.

mod branch_comparison;
mod by_hand;
mod choices;
mod explain;
mod explained_turn;
mod given_turn;
mod interactive_dialogue;
mod interactive_error;
mod json_turn;
mod line;
mod loaded;
mod loading;
mod nameable_intents;
mod play;
mod prompt_preview;
mod reload;
mod saved;
mod scenario_lookup;
mod travel;
mod turn_change;
mod turn_why;
mod typed_turn;
mod watched_files;
mod why_not;

pub use branch_comparison::{BranchComparison, ComparedTurn};
pub use explain::WhySentence;
pub use interactive_dialogue::InteractiveDialogue;
pub use interactive_error::InteractiveError;
pub use json_turn::turn_of;
pub use line::{InputLine, data_of, read_line};
pub use loaded::{DialogueLoader, LoadedDialogue};
pub use play::InteractiveTurn;
pub use prompt_preview::{PreviewedPrompt, PromptPreview};
pub use reload::{Reloaded, ReplayedDialogue, StoppedReplay};
pub use saved::SavedFormat;
pub use scenario_lookup::{ScenarioBeginning, ScenarioLookup};
pub use turn_change::{RecordDifference, TurnChange};
pub use turn_why::{TurnWhy, WinningRule};
pub use typed_turn::{say_trigger, typed_name};
pub use watched_files::{ModelReader, WatchedFiles};
pub use why_not::WhyNot;
