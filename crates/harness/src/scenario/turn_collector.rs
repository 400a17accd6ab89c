//! Who looks at the turns of a scenario as they are played.

use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::ObservedRecord;

/// Collects from the turns of a scenario, all its plays together, what somebody wants to know of them later.
pub trait TurnCollector: Send + Sized {
    /// Takes note of a turn.
    fn turn(&mut self, line: &RecordView<'_>);

    /// Takes note of a turn that a subject played.
    fn observed(&mut self, record: &ObservedRecord) {
        let _ = record;
    }

    /// Takes over what was collected in a later play.
    fn join(&mut self, later: Self);
}

/// Nothing is collected.
impl TurnCollector for () {
    fn turn(&mut self, _: &RecordView<'_>) {}

    fn join(&mut self, (): Self) {}
}
