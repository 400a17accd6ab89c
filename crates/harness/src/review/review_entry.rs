//! A snapshot that waits for a decision.

use std::io;

use crate::scenario::{ScenarioEnd, ScenarioResult};
use crate::snapshot::{PendingSnapshot, SnapshotChecker, SnapshotOutcome};
use fsmsim_syntax::diagnostic::Checked;

/// A snapshot that waits for a decision, with its scenario.
#[derive(Debug)]
pub struct ReviewEntry {
    /// The address of the scenario.
    pub id: String,
    /// Where it is written, for an editor.
    pub place: (String, usize),
    /// What waits.
    pub snapshot: PendingSnapshot,
    /// What keeps it from being accepted.
    pub hindrance: Option<ReviewHindrance>,
}

/// What keeps a snapshot from being accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewHindrance {
    /// The scenario does something else by now.
    Outdated,
    /// The scenario is not as it expects.
    FallsShort,
    /// The scenario cannot be played.
    Unplayed,
}

impl ReviewEntry {
    /// The snapshot of a scenario that was played, where one waits.
    pub fn of(
        result: &ScenarioResult,
        id: &str,
        snapshots: &SnapshotChecker,
    ) -> Checked<Option<Self>> {
        let Some(snapshot) = snapshots.pending(result.place.path.as_ref(), &result.name())? else {
            return Ok(None);
        };
        let hindrance = match (&result.end, &result.snapshot) {
            (ScenarioEnd::Played(outcome), _) if outcome.falls_short() => {
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

    /// Makes what waits the snapshot.
    ///
    /// # Errors
    /// Those of the file system, and that the file is not what was shown any more.
    pub fn accept(&self) -> io::Result<()> {
        self.snapshot.accept()
    }

    /// Throws away what waits.
    pub fn reject(&self) -> io::Result<()> {
        self.snapshot.reject()
    }
}
