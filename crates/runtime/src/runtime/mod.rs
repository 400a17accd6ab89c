//! The runtime: the start and the environment of a dialogue, the loop that runs its turns for every front end, and its
//! persistence.

mod audit_trail;
mod audited_journal;
mod checkpoint;
mod dialogue_runner;
mod dialogue_setup;
mod environment;
mod journal;
mod knowledge;
mod resumed_dialogue;
#[cfg(feature = "sqlite")]
mod session_journal;
#[cfg(feature = "sqlite")]
mod session_view;
mod start_files;
mod start_reader;
mod turn_loop;
mod turn_tree;

pub use audit_trail::{audited_turn, remembers};
pub use audited_journal::AuditedJournal;
pub use dialogue_runner::DialogueRunner;
pub use dialogue_setup::{DialogueSetup, SIGNALS};
pub use fsmsim_adapters::stores::{Checkpoint, TreeRoot, TurnBranch, TurnNode};
pub use journal::Journal;
pub use resumed_dialogue::ResumedDialogue;
#[cfg(feature = "sqlite")]
pub use session_journal::{SessionJournal, is_answered};
#[cfg(feature = "sqlite")]
pub use session_view::{SessionView, saved_state};
pub use start_files::{START_FILES, files_of_start};
pub use start_reader::PERMISSIVE;
pub use turn_loop::RecordedTurn;
pub use turn_tree::{MAIN_BRANCH, TurnTree};
