//! A scenario to review.

use crate::scenario::{RecordedTurns, ScenarioEnd, ScenarioResult};
use crate::snapshot::{PendingSnapshot, SnapshotChecker, SnapshotOutcome};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::Checked;

/// A scenario whose snapshot is pending, or whose expectations failed.
#[derive(Debug)]
pub struct ReviewEntry {
    /// The ID of the scenario.
    pub id: String,
    /// The file and line of the scenario, for opening it in an editor.
    pub place: (String, usize),
    pub snapshot: Option<PendingSnapshot>,
    /// Why the result cannot be accepted, if it cannot.
    pub hindrance: Option<ReviewHindrance>,
    /// The current dialogue.
    pub turns: Vec<TurnReport>,
    /// Whether the snapshot, if there is one, contains the current result.
    is_current: bool,
    /// Whether failed expectations can be replaced.
    has_edits: bool,
}

/// The reason why a result cannot be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewHindrance {
    /// The scenario now has a different result.
    Outdated,
    /// The scenario does not meet its expectations.
    FallsShort,
    /// The scenario cannot run.
    Unplayed,
}

impl ReviewEntry {
    /// The entry for a scenario that ran, if its snapshot is pending or an expectation failed.
    pub fn of(
        result: &ScenarioResult,
        records: &RecordedTurns,
        id: &str,
        snapshots: &SnapshotChecker,
    ) -> Checked<Option<Self>> {
        let snapshot = snapshots.pending(result.place.path.as_ref(), &result.name())?;
        let is_current = match &result.snapshot {
            SnapshotOutcome::Differs { pending, .. } => pending.is_some(),
            _ => snapshot.is_none(),
        };
        let hindrance = match &result.end {
            ScenarioEnd::Played(outcome) if outcome.is_failure() => {
                Some(ReviewHindrance::FallsShort)
            }
            _ if snapshot.is_none() => return Ok(None),
            ScenarioEnd::Played(_) => (!is_current).then_some(ReviewHindrance::Outdated),
            _ => Some(ReviewHindrance::Unplayed),
        };
        let turns = records.lines.iter();
        Ok(Some(Self {
            id: id.to_owned(),
            place: (result.place.path.clone(), result.place.line),
            snapshot,
            hindrance,
            turns: turns
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect(),
            is_current,
            has_edits: false,
        }))
    }

    /// Whether the snapshot can be accepted, or at least some failed expectations can be replaced.
    pub fn is_acceptable(&self) -> bool {
        self.hindrance.is_none() || self.has_edits
    }

    /// Notes that failed expectations can be replaced: all of them, or only some.
    pub(super) fn repair(&mut self, is_complete: bool) {
        self.has_edits = true;
        if is_complete && self.hindrance == Some(ReviewHindrance::FallsShort) {
            self.hindrance = (!self.is_current).then_some(ReviewHindrance::Outdated);
        }
    }

    /// Notes that the expectations that can be replaced are replaced, but the scenario still fails.
    pub(super) fn keep_failing(&mut self) {
        self.has_edits = false;
        self.hindrance = self.hindrance.or(Some(ReviewHindrance::FallsShort));
    }
}
