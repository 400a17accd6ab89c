//! All that tabs can ask for.

mod dialogue;
mod keep;
mod look;
mod project;
mod review;
mod simulation;
mod suite;

pub(super) use self::review::ReviewDesk;
pub(super) use self::simulation::SimulationDesk;
pub(super) use self::suite::SuiteDesk;
use super::operation::StudioOperation;
use super::studio_model::ModelUpdate;
use super::workbench::Workbench;

/// The families of operations, a file for each.
const FAMILIES: [&[StudioOperation]; 7] = [
    dialogue::OPERATIONS,
    keep::OPERATIONS,
    look::OPERATIONS,
    project::OPERATIONS,
    suite::OPERATIONS,
    review::OPERATIONS,
    simulation::OPERATIONS,
];

/// The operation of this name.
pub(super) fn find(name: &str) -> Option<&'static StudioOperation> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .find(|operation| operation.name == name)
}

/// A file of the model was saved, and this became of the model.
pub(super) fn model_edited(bench: &mut Workbench, update: ModelUpdate, files: Vec<String>) {
    dialogue::model_edited(bench, update, files);
}
