//! The records of a scenario, kept while it is played.

use super::scenario_run::TurnCollector;
use crate::engine::RecordView;
use crate::trace::JsonLine;

/// Turns of which records are kept. Longer scenarios are not held in the memory as a whole.
const MOST: usize = 1000;

/// The records of the first turns of the first play of a scenario, as lines of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTurns {
    /// The lines.
    pub lines: Vec<String>,
    /// Another play has begun.
    is_over: bool,
}

impl TurnCollector for RecordedTurns {
    fn turn(&mut self, line: &RecordView<'_>) {
        self.is_over |= !self.lines.is_empty() && line.record.turn <= 1;
        if !self.is_over && self.lines.len() < MOST {
            let mut json = JsonLine::default();
            line.write(&mut json);
            self.lines.push(json.into_string());
        }
    }

    fn join(&mut self, later: Self) {
        if self.lines.is_empty() {
            *self = later;
        }
        self.is_over = !self.lines.is_empty();
    }
}
