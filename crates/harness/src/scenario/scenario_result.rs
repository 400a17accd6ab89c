//! The result of a scenario.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::expectation_failure::FailureCause;
use super::model_key::ModelKey;
use super::scenario_address::{case_title, scenario_address};
use super::scenario_outcome::ScenarioEnd;
use super::trial_tally::TrialTally;
use crate::snapshot::SnapshotOutcome;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, Place};

/// The result of a scenario.
#[derive(Debug, Default)]
pub struct ScenarioResult {
    /// The title. Empty if it could not be read.
    pub title: String,
    /// The case, as `k=v,…`, if it has cases.
    pub case: Option<String>,
    pub place: Place,
    /// The location of its case: a map in the list, or a line of the table.
    pub case_place: Option<Place>,
    /// Its tags, including those of its directory.
    pub tags: Vec<String>,
    /// The metadata for other tools. Null by default.
    pub meta: Value,
    /// Why it is skipped, if it is.
    pub skip: Option<String>,
    /// Whether it represents an invalid file or directory.
    pub is_whole_file: bool,
    /// Whether its cases are invalid, so that the scenarios are unknown.
    pub has_unknown_cases: bool,
    /// Its model, if it is known.
    pub model: Option<ModelKey>,
    /// The mock that it names, for the findings in that file.
    pub mock: Option<PathBuf>,
    /// Its cassette, if it was used.
    pub cassette: Option<PathBuf>,
    /// The findings in its text. Errors make it invalid.
    pub found: Diagnostics,
    pub end: ScenarioEnd,
    /// The outcome of its snapshot.
    pub snapshot: SnapshotOutcome,
    /// The counts and the answers of its trials, if they are compared.
    pub trials: Option<TrialTally>,
    /// Whether it can call a provider.
    pub asks: bool,
    pub elapsed: Duration,
}

/// The verdict on a scenario.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ScenarioVerdict {
    /// All expectations are met, and the snapshot matches.
    Passed,
    /// An expectation or the snapshot does not match.
    Failed,
    /// It failed, and all failures were expected.
    ExpectedFailure,
    /// An expected failure did not occur.
    UnexpectedPass,
    /// It was skipped.
    Skipped,
    /// It could not be read or run.
    Invalid,
    /// A provider or a subject did not answer.
    Unavailable,
    /// It was stopped before the result was decided.
    Inconclusive,
}

impl ScenarioVerdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the user does not have to act.
    pub fn is_well(self) -> bool {
        matches!(self, Self::Passed | Self::ExpectedFailure | Self::Skipped)
    }
}

impl ScenarioResult {
    /// A scenario at this location, without a result yet.
    pub(super) fn at(place: Place) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// Its title with its case. It is unique in its file.
    pub fn name(&self) -> String {
        case_title(&self.title, self.case.as_deref())
    }

    pub fn address(&self) -> String {
        scenario_address(&self.place.path, &self.title, self.case.as_deref())
    }

    pub fn verdict(&self) -> ScenarioVerdict {
        match &self.end {
            ScenarioEnd::Played(outcome)
                if !outcome.failures.is_empty() || self.snapshot.differs() =>
            {
                ScenarioVerdict::Failed
            }
            ScenarioEnd::Played(outcome) if !outcome.unexpected_passes.is_empty() => {
                ScenarioVerdict::UnexpectedPass
            }
            ScenarioEnd::Played(outcome) if !outcome.known.is_empty() => {
                ScenarioVerdict::ExpectedFailure
            }
            ScenarioEnd::Played(_) => ScenarioVerdict::Passed,
            ScenarioEnd::Unread(_) => ScenarioVerdict::Unavailable,
            ScenarioEnd::Skipped => ScenarioVerdict::Skipped,
            ScenarioEnd::Undecided(_) => ScenarioVerdict::Inconclusive,
            ScenarioEnd::Invalid => ScenarioVerdict::Invalid,
        }
    }

    /// Whether it can have a snapshot but has none.
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

    /// Whether a model took part in its failure, so that another run might pass.
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
