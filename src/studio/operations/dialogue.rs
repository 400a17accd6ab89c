//! What moves the dialogue, and what is told of it.

use crate::studio::operation::StudioOperation;
use crate::studio::studio_model::ModelChange;
use crate::studio::workbench::Workbench;

/// The operations of this family.
pub(super) const OPERATIONS: &[StudioOperation] = &[];

/// A file of the model was saved, and this became of the model.
pub(super) fn model_edited(_bench: &mut Workbench, _change: ModelChange) {}
