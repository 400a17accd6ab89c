//! The records of a scenario, kept while it is played.

use super::turn_collector::TurnCollector;
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::{JsonLine, ObservedRecord};

/// Turns of which records are kept. Longer scenarios are not held in the memory as a whole.
const MOST: usize = 1000;

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
        if !self.is_over && self.lines.len() < MOST {
            let mut json = JsonLine::default();
            write(&mut json);
            self.lines.push(json.into_string());
        }
    }
}
