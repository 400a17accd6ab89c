//! What reports need to know of a scenario while it is played.

use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::ObservedRecord;
use fsmsim_harness::coverage::CoverageSet;
use fsmsim_harness::scenario::{RecordedTurns, TurnCollector};

/// What is kept of a scenario while it is played: only what somebody wants to know.
#[derive(Debug, Default)]
pub struct RunCollector {
    /// Its records.
    pub records: Option<RecordedTurns>,
    /// To what it came.
    pub coverage: Option<CoverageSet>,
}

impl TurnCollector for RunCollector {
    fn turn(&mut self, line: &RecordView<'_>) {
        if let Some(records) = &mut self.records {
            records.turn(line);
        }
        if let Some(coverage) = &mut self.coverage {
            coverage.turn(line);
        }
    }

    fn observed(&mut self, record: &ObservedRecord) {
        if let Some(records) = &mut self.records {
            records.observed(record);
        }
    }

    fn join(&mut self, later: Self) {
        if let Some((records, later)) = self.records.as_mut().zip(later.records) {
            records.join(later);
        }
        if let Some((coverage, later)) = self.coverage.as_mut().zip(later.coverage) {
            coverage.join(later);
        }
    }
}
