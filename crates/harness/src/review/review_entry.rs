//! The pending snapshot of a scenario.

use crate::scenario::{ScenarioEnd, ScenarioResult};
use crate::snapshot::{PendingSnapshot, SnapshotChecker, SnapshotOutcome};
use fsmsim_syntax::diagnostic::Checked;

/// A pending snapshot, with its scenario.
#[derive(Debug)]
pub struct ReviewEntry {
    /// The ID of the scenario.
    pub id: String,
    /// The file and the line of the scenario, for an editor.
    pub place: (String, usize),
    pub snapshot: PendingSnapshot,
    /// Why it cannot be accepted, if so.
    pub hindrance: Option<ReviewHindrance>,
}

/// The reason why a snapshot cannot be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewHindrance {
    /// The scenario has another result now.
    Outdated,
    /// The scenario does not meet its expectations.
    FallsShort,
    /// The scenario cannot run.
    Unplayed,
}

impl ReviewEntry {
    /// The pending snapshot of a scenario that ran, if there is one.
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
