//! Who looks at the turns of a scenario as they are played.

use crate::limits::MAX_RECORDED_TURNS;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::{JsonLine, ObservedRecord};

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

/// The records of the first turns of the first play of a scenario, as lines of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTurns {
    pub lines: Vec<String>,
    /// Another play has begun.
    is_over: bool,
}

impl TurnCollector for RecordedTurns {
    fn turn(&mut self, line: &RecordView<'_>) {
        self.keep(line.record.turn, |json| line.write(json));
    }

    fn observed(&mut self, record: &ObservedRecord) {
        self.keep(record.turn(), |json| record.write(json));
    }

    fn join(&mut self, later: Self) {
        if self.lines.is_empty() {
            *self = later;
        }
        self.is_over = !self.lines.is_empty();
    }
}

impl RecordedTurns {
    fn keep(&mut self, turn: u32, write: impl FnOnce(&mut JsonLine)) {
        self.is_over |= !self.lines.is_empty() && turn <= 1;
        if !self.is_over && self.lines.len() < MAX_RECORDED_TURNS {
            let mut json = JsonLine::default();
            write(&mut json);
            self.lines.push(json.into_string());
        }
    }
}
