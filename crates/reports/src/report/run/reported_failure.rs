//! An unmet expectation in a report.

use serde::{Deserialize, Serialize};

use super::reported_place::ReportedPlace;
use fsmsim_core::trace::TurnReport;

/// An unmet expectation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFailure {
    /// The number of the turn; `None` for the end, and for failures without a turn.
    pub turn: Option<u32>,
    /// The location of the expectation, or the scenario whose snapshot differs.
    pub at: ReportedPlace,
    /// The locations where the shared turns are used: the nearest `use` first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_at: Vec<ReportedPlace>,
    /// The kind of the expectation.
    #[serde(default, skip_serializing_if = "FailedAgainst::is_expectation")]
    pub against: FailedAgainst,
    /// The field of the record, with the path inside it.
    pub field: String,
    /// The expected value, if there is one.
    pub expected: Option<String>,
    /// The actual value, if there is one.
    pub actual: Option<String>,
    /// The value in the accepted snapshot, if it differs, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// The difference of long values, as lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<String>,
    /// The most similar value and its difference, if that is helpful.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The deciding rule.
    pub by: Option<DecidingRule>,
    /// The rule that decided when the snapshot was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was_by: Option<ReportedPlace>,
    /// The reason given for a known failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Whether an LLM contributed to the result, so that another run can pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// The kind of an expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailedAgainst {
    /// An expectation of the scenario.
    #[default]
    Expectation,
    Snapshot,
    /// An expected failure.
    ExpectedFailure,
}

/// The rule that decided a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidingRule {
    /// The reason, as in records.
    pub rule: String,
    /// The location of the rule.
    pub at: Option<ReportedPlace>,
}

impl FailedAgainst {
    /// Whether the expectation is from the scenario.
    pub fn is_expectation(&self) -> bool {
        *self == Self::Expectation
    }
}

impl ReportedFailure {
    /// The name of the field, without the path inside it.
    pub(super) fn name(&self) -> &str {
        self.field.split('.').next().unwrap_or_default()
    }

    /// The expected and the actual value. Of long values, the first lines that differ.
    pub(super) fn sides(&self) -> [Option<&str>; 2] {
        if self.diff.is_empty() {
            return [self.expected.as_deref(), self.actual.as_deref()];
        }
        ["-", "+"].map(|sign| {
            let mut lines = self.diff.iter();
            let line = lines.find_map(|line| line.strip_prefix(sign));
            line.map(str::trim)
        })
    }
}

impl DecidingRule {
    /// The rule that decided this field in a turn: the rule of the transition for the target state, the rule of the
    /// action for other fields. If that rule is missing, the other rule. `from_root` converts command-line paths to
    /// relative paths.
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
