//! Files that scenarios share: turns, and directory defaults.

mod folder_defaults;
mod scenario_loader;
mod shared_files;
mod shared_turns;
mod turn_expander;

pub use folder_defaults::DEFAULTS;
pub(super) use folder_defaults::{FolderDefaults, is_defaults};
pub use scenario_loader::ScenarioLoader;
pub(super) use shared_files::SharedFiles;
pub(super) use shared_turns::{OtherContent, TURNS, differ_by_parameter, may_use};
pub(super) use turn_expander::{ExpandedTurn, TurnExpander};
