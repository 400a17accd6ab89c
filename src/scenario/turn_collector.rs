//! Something that watches scenarios as they are played.

use crate::trace::RecordView;

/// Collects from the turns of a scenario, all its plays together, what somebody wants to know of them later.
pub trait TurnCollector: Default + Send {
    /// Takes note of a turn.
    fn turn(&mut self, line: &RecordView<'_>);
}

/// Nothing is collected.
impl TurnCollector for () {
    fn turn(&mut self, _: &RecordView<'_>) {}
}
