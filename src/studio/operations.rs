//! All that tabs can ask for.

mod dialogue;
mod keep;
mod look;

use super::operation::StudioOperation;
use super::studio_model::ModelChange;
use super::workbench::Workbench;

/// The families of operations, a file for each.
const FAMILIES: [&[StudioOperation]; 3] = [dialogue::OPERATIONS, keep::OPERATIONS, look::OPERATIONS];

/// The operation of this name.
pub(super) fn find(name: &str) -> Option<&'static StudioOperation> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|operation| operation.name == name)
}

/// A file of the model was saved, and this became of the model.
pub(super) fn model_edited(bench: &mut Workbench, change: ModelChange, files: Vec<String>) {
    dialogue::model_edited(bench, change, files);
}
