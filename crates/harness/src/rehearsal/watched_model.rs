//! The model of a dialogue, as it is read again.

use std::sync::Arc;

use super::watched_files::WatchedFiles;
use fsmsim_core::engine::Machine;

/// Reads the model of the dialogue again, from its files.
pub type ModelReader = Box<dyn FnMut() -> Result<Arc<Machine>, String> + Send>;

/// What reads a model again, and its files as they were when it was read.
#[derive(Default)]
pub(super) struct WatchedModel {
    pub(super) reader: Option<ModelReader>,
    pub(super) files: WatchedFiles,
}
