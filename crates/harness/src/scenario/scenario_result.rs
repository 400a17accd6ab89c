//! What became of a scenario.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::expectation_failure::FailureCause;
use super::model_key::ModelKey;
use super::play_tally::PlayTally;
use super::scenario_address::{case_title, scenario_address};
use super::scenario_outcome::ScenarioEnd;
use crate::snapshot::SnapshotOutcome;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, Place};

/// What became of a scenario.
#[derive(Debug)]
pub struct ScenarioResult {
    /// Its title; empty, where it could not be read.
    pub title: String,
    /// Its case, as `k=v,…`, where it has cases.
    pub case: Option<String>,
    /// Where it is written.
    pub place: Place,
    /// Where its case is written: a map of the list, a line of a table.
    pub case_place: Option<Place>,
    /// Its tags, with those of its folder.
    pub tags: Vec<String>,
    /// What it says for others; null where it says nothing.
    pub meta: Value,
    /// Why it is skipped, where it is.
    pub skip: Option<String>,
    /// It stands for a file, or a folder, of which nothing can be used.
    pub is_whole_file: bool,
    /// Its cases cannot be read, so that nobody knows which scenarios there are.
    pub has_unknown_cases: bool,
    /// Its model, where it came so far.
    pub model: Option<ModelKey>,
    /// The mock that it names, for what was found while loading it.
    pub mock: Option<PathBuf>,
    /// Its cassette, where it was asked for one.
    pub cassette: Option<PathBuf>,
    /// What is wrong with its text; errors make it unusable.
    pub found: Diagnostics,
    pub end: ScenarioEnd,
    /// What came of its snapshot.
    pub snapshot: SnapshotOutcome,
    /// What its plays came to and what was said in them, where that is compared.
    pub plays: Option<PlayTally>,
    /// Somebody may be asked while it is played.
    pub asks: bool,
    /// How long it took.
    pub elapsed: Duration,
}

/// What is said of a scenario.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ScenarioVerdict {
    /// Everything was as expected, and as its snapshot has it.
    Passed,
    /// Something was not.
    Failed,
    /// Something was not, and all of it is known.
    ExpectedFailure,
    /// Something that was expected to fail did not.
    Stale,
    /// It was not to be played.
    Skipped,
    /// It could not be read or played.
    Unusable,
    /// The outside was not there.
    Unavailable,
    /// It was stopped before anything could be said of it.
    Inconclusive,
}

impl ScenarioVerdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether nobody has to do anything.
    pub fn is_well(self) -> bool {
        matches!(self, Self::Passed | Self::ExpectedFailure | Self::Skipped)
    }
}

impl ScenarioResult {
    /// A scenario at this place of which nothing is known yet.
    pub(super) fn at(place: Place) -> Self {
        Self {
            title: String::new(),
            case: None,
            place,
            case_place: None,
            tags: Vec::new(),
            meta: Value::Null,
            skip: None,
            is_whole_file: false,
            has_unknown_cases: false,
            model: None,
            mock: None,
            cassette: None,
            found: Diagnostics::default(),
            end: ScenarioEnd::Unusable,
            snapshot: SnapshotOutcome::None,
            plays: None,
            asks: false,
            elapsed: Duration::ZERO,
        }
    }

    /// Its title with its case, by which it is told from the other scenarios of its file.
    pub fn name(&self) -> String {
        case_title(&self.title, self.case.as_deref())
    }

    pub fn address(&self) -> String {
        scenario_address(&self.place.path, &self.title, self.case.as_deref())
    }

    /// What is said of it.
    pub fn verdict(&self) -> ScenarioVerdict {
        match &self.end {
            ScenarioEnd::Played(outcome)
                if !outcome.failures.is_empty() || self.snapshot.differs() =>
            {
                ScenarioVerdict::Failed
            }
            ScenarioEnd::Played(outcome) if !outcome.stale.is_empty() => ScenarioVerdict::Stale,
            ScenarioEnd::Played(outcome) if !outcome.known.is_empty() => {
                ScenarioVerdict::ExpectedFailure
            }
            ScenarioEnd::Played(_) => ScenarioVerdict::Passed,
            ScenarioEnd::Unread(_) => ScenarioVerdict::Unavailable,
            ScenarioEnd::Skipped => ScenarioVerdict::Skipped,
            ScenarioEnd::Undecided(_) => ScenarioVerdict::Inconclusive,
            ScenarioEnd::Unusable => ScenarioVerdict::Unusable,
        }
    }

    /// Whether it could have a snapshot, and has none.
    pub fn lacks_snapshot(&self) -> bool {
        let may_have =
            matches!(&self.end, ScenarioEnd::Played(outcome) if outcome.may_have_snapshot);
        may_have
            && matches!(
                self.snapshot,
                SnapshotOutcome::None
                    | SnapshotOutcome::Differs {
                        difference: None,
                        ..
                    }
            )
    }

    /// Whether a model had a part in its failure, so that another run may pass.
    pub fn failed_with_model(&self) -> bool {
        let ScenarioEnd::Played(outcome) = &self.end else {
            return false;
        };
        outcome
            .failures
            .iter()
            .any(|failure| failure.cause == FailureCause::Model)
    }
}
