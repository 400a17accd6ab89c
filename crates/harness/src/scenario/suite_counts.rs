//! The number of scenarios in a run for each verdict.

use super::scenario_outcome::ScenarioEnd;
use super::scenario_result::{ScenarioResult, ScenarioVerdict};
use crate::snapshot::SnapshotOutcome;

/// The number of scenarios in a run for each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCounts {
    pub passed: usize,
    pub failed: usize,
    /// Scenarios that failed as expected.
    pub expected_failures: usize,
    /// Scenarios in which an expected failure did not occur.
    pub unexpected_passes: usize,
    /// Failed scenarios in which a language model took part, so that another run might pass.
    pub failed_with_model: usize,
    pub skipped: usize,
    /// Scenarios that could not be read or run.
    pub invalid: usize,
    /// Scenarios in which a provider did not answer.
    pub unavailable: usize,
    /// Scenarios that were stopped before the result was certain.
    pub inconclusive: usize,
    /// Scenarios that ran but have no snapshot.
    pub unsnapshotted: usize,
    /// Snapshots that were written.
    pub accepted: usize,
    /// Scenarios that can have a snapshot but have none.
    pub lacking: usize,
    /// Turns that ran.
    pub turns: usize,
}

impl SuiteCounts {
    pub fn push(&mut self, result: &ScenarioResult) {
        self.count(result.verdict());
        self.failed_with_model += usize::from(result.failed_with_model());
        if let ScenarioEnd::Played(outcome) = &result.end {
            self.turns += outcome.turns;
            self.unsnapshotted += usize::from(matches!(result.snapshot, SnapshotOutcome::None));
            self.lacking += usize::from(result.lacks_snapshot());
            self.accepted += usize::from(matches!(result.snapshot, SnapshotOutcome::Accepted));
        }
    }

    /// Counts a scenario of which only the verdict is known.
    pub fn count(&mut self, verdict: ScenarioVerdict) {
        match verdict {
            ScenarioVerdict::Passed => self.passed += 1,
            ScenarioVerdict::Failed => self.failed += 1,
            ScenarioVerdict::ExpectedFailure => self.expected_failures += 1,
            ScenarioVerdict::UnexpectedPass => self.unexpected_passes += 1,
            ScenarioVerdict::Skipped => self.skipped += 1,
            ScenarioVerdict::Invalid => self.invalid += 1,
            ScenarioVerdict::Unavailable => self.unavailable += 1,
            ScenarioVerdict::Inconclusive => self.inconclusive += 1,
        }
    }

    /// Whether a scenario failed, or passed unexpectedly.
    pub fn has_failures(&self) -> bool {
        self.failed + self.unexpected_passes > 0
    }

    /// Whether all scenarios passed, failed as expected or were skipped.
    pub fn is_well(&self) -> bool {
        self.failed + self.unexpected_passes + self.invalid + self.unavailable + self.inconclusive
            == 0
    }

    pub fn all(&self) -> usize {
        let failing = self.failed + self.expected_failures + self.unexpected_passes;
        self.passed + failing + self.skipped + self.unavailable + self.inconclusive + self.invalid
    }

    /// Whether no scenario was counted.
    pub fn is_empty(&self) -> bool {
        self.all() == 0
    }
}
