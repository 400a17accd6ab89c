//! What the scenarios of a run came to, in numbers.

use super::scenario_outcome::ScenarioEnd;
use super::scenario_result::{ScenarioResult, ScenarioVerdict};
use crate::snapshot::SnapshotOutcome;

/// What the scenarios of a run came to, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCounts {
    /// Scenarios that passed.
    pub passed: usize,
    /// Scenarios that failed.
    pub failed: usize,
    /// Scenarios that fell short of what they expect, as is known.
    pub expected_failures: usize,
    /// Scenarios in which something was expected to fail and did not.
    pub stale: usize,
    /// Failed scenarios in which a model had a part, so that another run may pass.
    pub failed_with_model: usize,
    /// Scenarios that were not to be played.
    pub skipped: usize,
    /// Scenarios that could not be read or played.
    pub unusable: usize,
    /// Scenarios in which somebody was asked and did not answer.
    pub unavailable: usize,
    /// Scenarios that were stopped before anything could be said of them.
    pub inconclusive: usize,
    /// Scenarios that were played and have no snapshot.
    pub unsnapshotted: usize,
    /// Snapshots that were written.
    pub accepted: usize,
    /// Scenarios that could have a snapshot and have none.
    pub lacking: usize,
    /// Turns that were played.
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

    /// Counts a scenario of which nothing else is known.
    pub fn count(&mut self, verdict: ScenarioVerdict) {
        match verdict {
            ScenarioVerdict::Passed => self.passed += 1,
            ScenarioVerdict::Failed => self.failed += 1,
            ScenarioVerdict::ExpectedFailure => self.expected_failures += 1,
            ScenarioVerdict::Stale => self.stale += 1,
            ScenarioVerdict::Skipped => self.skipped += 1,
            ScenarioVerdict::Unusable => self.unusable += 1,
            ScenarioVerdict::Unavailable => self.unavailable += 1,
            ScenarioVerdict::Inconclusive => self.inconclusive += 1,
        }
    }

    /// Whether something was not as is said of it.
    pub fn has_failures(&self) -> bool {
        self.failed + self.stale > 0
    }

    /// Whether nobody has to look at anything.
    pub fn is_well(&self) -> bool {
        self.failed + self.stale + self.unusable + self.unavailable + self.inconclusive == 0
    }

    /// All scenarios.
    pub fn all(&self) -> usize {
        let fell_short = self.failed + self.expected_failures + self.stale;
        self.passed
            + fell_short
            + self.skipped
            + self.unavailable
            + self.inconclusive
            + self.unusable
    }

    /// Whether no scenario came so far that it says anything.
    pub fn is_empty(&self) -> bool {
        self.all() == 0
    }
}
