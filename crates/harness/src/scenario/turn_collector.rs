//! Collects data from the turns of a scenario while it runs.

use crate::limits::MAX_RECORDED_TURNS;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::{JsonLine, ObservedRecord};

/// Collects data from the turns of a scenario in all its trials.
pub trait TurnCollector: Send + Sized {
    /// Records a turn.
    fn turn(&mut self, line: &RecordView<'_>);

    /// Records a turn that a subject answered.
    fn observed(&mut self, _record: &ObservedRecord) {}

    /// Adds the data from a later trial.
    fn join(&mut self, later: Self);
}

/// Collects nothing.
impl TurnCollector for () {
    fn turn(&mut self, _: &RecordView<'_>) {}

    fn join(&mut self, (): Self) {}
}

/// The records of the first turns in a scenario's first trial, as trace lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTurns {
    pub lines: Vec<String>,
    /// Whether another trial has started.
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
