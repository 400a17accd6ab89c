//! What moves the dialogue, and what is told of it.

use crate::studio::operation::StudioOperation;
use crate::studio::studio_event::StudioEvent;
use crate::studio::studio_model::ModelUpdate;
use crate::studio::told_model::ToldModel;
use crate::studio::workbench::Workbench;

/// The operations of this family.
pub(super) const OPERATIONS: &[StudioOperation] = &[];

/// A file of the model was saved, and this became of the model.
pub(super) fn model_edited(bench: &mut Workbench, change: ModelUpdate) {
    match change {
        ModelUpdate::None | ModelUpdate::Edited => {}
        ModelUpdate::Broken => {
            let model = ToldModel::of(&bench.model, &bench.settings.project);
            bench.events.tell(&StudioEvent::Broken { model: serde_json::to_value(model).unwrap_or_default() });
        }
        ModelUpdate::Mended => bench.events.tell(&StudioEvent::Mended),
    }
}
