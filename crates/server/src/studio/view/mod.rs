//! The dialogue, as the page shows it.

mod dialogue_view;
mod edit_view;
mod moment_view;

pub(super) use dialogue_view::DialogueView;
pub(super) use edit_view::EditView;
