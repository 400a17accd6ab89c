//! An interactive dialogue: run turn by turn, with undo, redo and branches, and replayed on an edited model. The REPL shows it
//! as text, the studio as a page.

mod branch_comparison;
mod by_hand;
mod choices;
mod detour;
mod explain;
mod given_turn;
mod json_turn;
mod line;
mod loaded;
mod loading;
mod play;
mod prompt_preview;
mod rehearsal;
mod rehearsal_error;
mod reload;
mod saved;
mod scenario_shelf;
mod travel;
mod turn_change;
mod turn_why;
mod typed_turn;
mod watched_files;
mod why_not;

pub use self::branch_comparison::{BranchComparison, ComparedTurn};
pub use self::explain::WhySentence;
pub use self::json_turn::turn_of;
pub use self::line::{InputLine, data_of, read_line};
pub use self::loaded::{DialogueLoader, LoadedDialogue};
pub use self::play::RehearsedTurn;
pub use self::prompt_preview::{PreviewedPrompt, PromptPreview};
pub use self::rehearsal::Rehearsal;
pub use self::rehearsal_error::RehearsalError;
pub use self::reload::{Reloaded, ReplayedDialogue, StoppedReplay};
pub use self::saved::SavedFormat;
pub use self::scenario_shelf::{ScenarioBeginning, ScenarioShelf};
pub use self::turn_change::{RecordDifference, TurnChange};
pub use self::turn_why::{TurnWhy, WinningRule};
pub use self::watched_files::{ModelReader, WatchedFiles};
pub use self::why_not::WhyNot;
