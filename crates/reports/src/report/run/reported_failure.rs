//! Something that was not as expected, as a report has it.

use serde::{Deserialize, Serialize};

use super::reported_place::ReportedPlace;
use fsmsim_core::trace::TurnReport;

/// Something that was not as expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFailure {
    /// The number of the turn; nothing for the end, and for what is about no turn.
    pub turn: Option<u32>,
    /// Where the expectation is written, or the scenario whose snapshot differs.
    pub at: ReportedPlace,
    /// Where the shared turns that it stands among are used: the nearest `use` first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_at: Vec<ReportedPlace>,
    /// Against what it was held.
    #[serde(default, skip_serializing_if = "FailedAgainst::is_expectation")]
    pub against: FailedAgainst,
    /// The field of the record, with the keys that lead to the place in it.
    pub field: String,
    /// What was expected; nothing where there was nothing.
    pub expected: Option<String>,
    /// What was there; nothing where there was nothing.
    pub got: Option<String>,
    /// What came nearest, and in what it differs, where that says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The rule that decided.
    pub by: Option<DecidingRule>,
    /// The rule that decided when the snapshot was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_by: Option<ReportedPlace>,
    /// Why it is known to fail, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// A model had a part in it, so that another run may pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// Against what something was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedAgainst {
    /// What the scenario expects.
    #[default]
    Expectation,
    /// The accepted snapshot.
    Snapshot,
    /// That something fails, as is said of it.
    ExpectedFailure,
}

/// The rule that decided a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidingRule {
    /// The reason, as records have it.
    pub rule: String,
    /// Where it is written.
    pub at: Option<ReportedPlace>,
}

impl FailedAgainst {
    /// Whether it was held against what the scenario expects.
    pub fn is_expectation(&self) -> bool {
        *self == Self::Expectation
    }
}

impl DecidingRule {
    /// What decided this field, by the record of its turn: the rule of the transition for where the turn led, else that of
    /// the action; each for want of the other. `from_root` makes paths as people gave them paths from the project.
    pub(super) fn of(
        turn: &TurnReport,
        field: &str,
        from_root: &dyn Fn(&str) -> String,
    ) -> Option<Self> {
        let is_move = [
            "state",
            "phase",
            "class",
            "path",
            "contract_class",
            "final",
            "return_state",
        ];
        let field = field.split('.').next().unwrap_or_default();
        let mut places = [&turn.rule.action, &turn.rule.transition];
        if is_move.contains(&field) {
            places.reverse();
        }
        let at = places.into_iter().flatten().next();
        (!turn.why.is_empty()).then(|| Self {
            rule: turn.why.join(", "),
            at: at.map(|at| ReportedPlace::read(at, from_root)),
        })
    }
}
