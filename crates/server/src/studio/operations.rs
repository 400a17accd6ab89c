//! All operations of the studio.

mod dialogue;
mod keep;
mod look;
mod project;
mod review;
mod simulation;
mod suite;

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::operation::StudioOperation;
use super::studio_event::StudioEvent;
use super::studio_model::ModelUpdate;
use super::studio_state::StudioState;

/// The families of operations, one file per family.
const FAMILIES: [&[StudioOperation]; 7] = [
    dialogue::OPERATIONS,
    keep::OPERATIONS,
    look::OPERATIONS,
    project::OPERATIONS,
    suite::OPERATIONS,
    review::OPERATIONS,
    simulation::OPERATIONS,
];

/// The operation with this name.
pub(super) fn find(name: &str) -> Option<&'static StudioOperation> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .find(|operation| operation.name == name)
}

impl StudioState {
    /// Reloads the model if one of its files was saved.
    pub(super) fn saved(&mut self, files: &BTreeSet<PathBuf>) {
        if self.model.is_made_of(files) {
            let edited = self.edited_files();
            let change = self.model.read_again(&self.settings);
            let is_same = matches!(change, ModelUpdate::None);
            dialogue::model_edited(self, change, &edited);
            self.watch_model();
            if is_same && files.is_subset(&self.model.files()) {
                return;
            }
        }
        self.events.send(&StudioEvent::Files);
    }
}
