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
    /// The title; empty if it could not be read.
    pub title: String,
    /// The case, as `k=v,…`, if the scenario has cases.
    pub case: Option<String>,
    pub place: Place,
    /// The location of the case: a map in the list, or a line in the table.
    pub case_place: Option<Place>,
    /// The tags, including those of the directory.
    pub tags: Vec<String>,
    /// Metadata for other tools; null by default.
    pub meta: Value,
    /// Why the scenario is skipped, if it is.
    pub skip: Option<String>,
    /// Whether the result stands for an invalid file or directory.
    pub is_whole_file: bool,
    /// Whether the cases are invalid, so that the scenarios in the document are unknown.
    pub has_unknown_cases: bool,
    /// The model, if it is known.
    pub model: Option<ModelKey>,
    /// The profile, if the scenario ran and the profile changes the behavior of its model.
    pub profile: Option<&'static str>,
    /// The files that the scenario was read from, except those of its model and those that it shares with the other
    /// scenarios of its file.
    pub inputs: Vec<PathBuf>,
    /// The cassette, if it was used.
    pub cassette: Option<PathBuf>,
    /// The findings in the scenario's text. Errors make the scenario invalid.
    pub found: Diagnostics,
    pub end: ScenarioEnd,
    /// The outcome of comparing the snapshot.
    pub snapshot: SnapshotOutcome,
    /// The counts and answers of the trials, if they are compared.
    pub trials: Option<TrialTally>,
    /// Whether the scenario can call a provider.
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
    /// The scenario failed, and all its failures were expected.
    ExpectedFailure,
    /// An expected failure did not occur.
    UnexpectedPass,
    /// The scenario was skipped.
    Skipped,
    /// The scenario could not be read or run.
    Invalid,
    /// A provider or a subject did not answer.
    Unavailable,
    /// The scenario was stopped before the result was certain.
    Inconclusive,
}

impl ScenarioVerdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the scenario passed. `None` if it has no result.
    pub fn passed(self) -> Option<bool> {
        match self {
            Self::Passed | Self::ExpectedFailure => Some(true),
            Self::Failed | Self::UnexpectedPass => Some(false),
            _ => None,
        }
    }

    /// Whether the user need not do anything.
    pub fn is_well(self) -> bool {
        matches!(self, Self::Passed | Self::ExpectedFailure | Self::Skipped)
    }
}

impl ScenarioResult {
    /// A scenario at this location that has no result yet.
    pub(super) fn at(place: Place) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// The title, with the case. It is unique in the file.
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

    /// Whether the scenario can have a snapshot but has none.
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

    /// Whether a language model took part in the failure, so that another run might pass.
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
