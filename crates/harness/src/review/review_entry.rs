//! The pending snapshot of a scenario.

use crate::scenario::{ScenarioEnd, ScenarioResult};
use crate::snapshot::{PendingSnapshot, SnapshotChecker, SnapshotOutcome};
use fsmsim_syntax::diagnostic::Checked;

/// A pending snapshot and its scenario.
#[derive(Debug)]
pub struct ReviewEntry {
    /// The ID of the scenario.
    pub id: String,
    /// The file and line of the scenario, for opening it in an editor.
    pub place: (String, usize),
    pub snapshot: PendingSnapshot,
    /// Why the snapshot cannot be accepted, if it cannot.
    pub hindrance: Option<ReviewHindrance>,
}

/// The reason why a snapshot cannot be accepted.
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
    /// The pending snapshot of a scenario that ran, if it has one.
    pub fn of(
        result: &ScenarioResult,
        id: &str,
        snapshots: &SnapshotChecker,
    ) -> Checked<Option<Self>> {
        let Some(snapshot) = snapshots.pending(result.place.path.as_ref(), &result.name())? else {
            return Ok(None);
        };
        let hindrance = match (&result.end, &result.snapshot) {
            (ScenarioEnd::Played(outcome), _) if outcome.is_failure() => {
                Some(ReviewHindrance::FallsShort)
            }
            (
                ScenarioEnd::Played(_),
                SnapshotOutcome::Differs {
                    pending: Some(_), ..
                },
            ) => None,
            (ScenarioEnd::Played(_), _) => Some(ReviewHindrance::Outdated),
            _ => Some(ReviewHindrance::Unplayed),
        };
        let place = (result.place.path.clone(), result.place.line);
        Ok(Some(Self {
            id: id.to_owned(),
            place,
            snapshot,
            hindrance,
        }))
    }
}
