//! The report of a scenario run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::report_head::{ReportHead, ReportedRun};
use super::reported_cause::ReportedCause;
use super::reported_finding::ReportedFinding;
use super::reported_scenario::ReportedScenario;
use fsmsim_harness::coverage::CoverageReport;
use fsmsim_harness::diff::KnownCause;
use fsmsim_harness::flakiness::{Flakiness, FlakinessResult};
use fsmsim_harness::scenario::{RecordedTurns, ScenarioResult, ScenarioVerdict, SuiteCounts};
use fsmsim_syntax::threads::Shard;

/// The report of a run, as in `--report json`. The order of the keys is fixed; readers ignore unknown keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    #[serde(flatten)]
    pub head: ReportHead,
    /// The scenarios, by file and position.
    pub scenarios: Vec<ReportedScenario>,
    /// The causes of the failures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ReportedCause>,
    /// The findings about the input.
    pub findings: Vec<ReportedFinding>,
    /// Snapshots without a scenario, relative to the project.
    pub orphans: Vec<String>,
    /// Pending differences of snapshots, relative to the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// Whether the run only checks, as in continuous integration: orphaned or pending snapshots fail the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
    /// The results that vary between trials, if trials are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flakiness: Option<FlakinessResult>,
    /// The coverage, if requested.
    pub coverage: Option<CoverageReport>,
    /// The counts of results that `scenarios` does not contain.
    #[serde(skip)]
    pub unlisted: SuiteCounts,
}

impl RunReport {
    /// An empty report.
    pub fn new(kind: ReportedRun, shard: Option<Shard>) -> Self {
        Self {
            head: ReportHead::new(kind, shard),
            ..Self::default()
        }
    }

    /// Adds the result of a scenario, with the lines of its trace if they were recorded.
    pub fn push(
        &mut self,
        id: &str,
        result: &ScenarioResult,
        records: &RecordedTurns,
        from_root: &dyn Fn(&str) -> String,
    ) {
        self.scenarios
            .push(ReportedScenario::of(id, result, &records.lines, from_root));
    }

    /// If the last scenario is invalid without a reason, sets its reason to an error of its model.
    pub fn say_model_is_broken(&mut self, model: &str, why: &str) {
        let last = self
            .scenarios
            .last_mut()
            .filter(|last| last.verdict == ScenarioVerdict::Invalid);
        if let Some(last) = last.filter(|last| last.reason.is_none()) {
            last.reason = Some(format!("cannot load the model `{model}`: {why}"));
        }
    }

    /// Why scenarios are invalid: their reasons, otherwise the first error of the run.
    pub fn why_invalid(&self) -> BTreeSet<&str> {
        let invalid = self
            .scenarios
            .iter()
            .filter(|scenario| scenario.verdict == ScenarioVerdict::Invalid);
        let errors = self
            .findings
            .iter()
            .filter(|finding| finding.severity == "error");
        let first = errors.map(|finding| finding.title.as_str()).next();
        invalid
            .filter_map(|scenario| scenario.reason.as_deref().or(first))
            .collect()
    }

    /// Attributes scenarios, by ID, to known causes. Locations in previous models start with `former`.
    pub fn put_down(
        &mut self,
        known: &BTreeMap<String, KnownCause>,
        former: &str,
        from_root: &dyn Fn(&str) -> String,
    ) {
        let causes = self.scenarios.iter().filter_map(|scenario| {
            let known = known.get(&scenario.id);
            known.map(|known| ReportedCause::known(known, scenario, former, from_root))
        });
        self.causes = causes.flatten().collect();
    }

    /// Sorts all lists and removes duplicate findings, so that the report does not depend on the order of the run.
    pub fn finish(&mut self) {
        self.scenarios.sort_by(|one, other| {
            (&one.file, one.line, &one.id).cmp(&(&other.file, other.line, &other.id))
        });
        self.causes = ReportedCause::gathered(std::mem::take(&mut self.causes), &self.scenarios);
        for list in [&mut self.orphans, &mut self.pending] {
            list.sort();
            list.dedup();
        }
        self.findings.sort();
        self.findings.dedup();
        let mut flakiness = Flakiness::default();
        flakiness.begin_run();
        for (id, trials) in self
            .scenarios
            .iter()
            .filter_map(|one| Some((&one.id, one.trials.as_ref()?)))
        {
            flakiness.add(id, trials);
        }
        self.flakiness = (!flakiness.is_empty()).then(|| flakiness.result());
    }

    /// The numbers of scenarios by verdict. Values that a report does not contain are 0.
    pub fn counts(&self) -> SuiteCounts {
        let mut counts = self.unlisted;
        for scenario in &self.scenarios {
            counts.count(scenario.verdict);
            counts.turns += scenario.turns_run;
            let by_model = scenario.verdict == ScenarioVerdict::Failed
                && scenario
                    .failures
                    .iter()
                    .any(|failure| failure.by_model && failure.known.is_none());
            counts.failed_with_model += usize::from(by_model);
        }
        counts
    }

    /// Snapshots that fail the run, each with its problem: orphaned or pending in check mode.
    pub fn waiting(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let lists = [("orphaned", &self.orphans), ("pending", &self.pending)]
            .into_iter()
            .filter(|_| self.checked);
        lists.flat_map(|(what, paths)| paths.iter().map(move |path| (what, path.as_str())))
    }

    /// The finding that makes a scenario invalid, if the report contains it.
    pub(super) fn finding_of(&self, scenario: &ReportedScenario) -> Option<&ReportedFinding> {
        let reason = scenario
            .reason
            .as_deref()
            .filter(|_| scenario.verdict == ScenarioVerdict::Invalid)?;
        let is_reason =
            |finding: &&ReportedFinding| finding.title == reason && finding.severity == "error";
        let is_here = |finding: &&ReportedFinding| {
            finding
                .at
                .as_ref()
                .is_some_and(|at| at.file == scenario.file)
        };
        let mut matches = self.findings.iter().filter(is_reason);
        // Several scenarios of a file can have the same error: the error of this scenario is the first one after its
        // title.
        let is_after_title = |finding: &&ReportedFinding| {
            finding
                .at
                .as_ref()
                .is_some_and(|at| at.line >= Some(scenario.line))
        };
        let here: Vec<&ReportedFinding> = matches.clone().filter(is_here).collect();
        here.iter()
            .copied()
            .find(is_after_title)
            .or_else(|| here.first().copied())
            .or_else(|| matches.next())
    }

    /// Parses the output of `to_json`.
    pub fn from_json(text: &str) -> Result<Self, String> {
        ReportHead::from_json(text)?;
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn scenario() -> impl Strategy<Value = ReportedScenario> {
        let text = || any::<String>();
        let maybe = || proptest::option::of(any::<String>());
        let names = (text(), text(), any::<usize>(), maybe(), maybe());
        let rest = (
            maybe(),
            any::<u32>(),
            any::<f64>(),
            proptest::option::of(0.0..1e9),
            any::<i64>(),
        );
        (names, rest).prop_map(|((id, file, line, case, reason), (actual, turn, number, seconds, whole))| {
            let failure = json!({
                "turn": turn, "at": id, "field": file, "expected": case, "actual": actual,
                "by": {"rule": id, "at": reason}, "by_model": turn % 2 == 0, "against": "snapshot",
            });
            let scenario = json!({
                "id": id, "file": file, "line": line, "case": case, "model": case, "profile": null,
                "tags": [file], "verdict": "failed", "reason": reason, "turns_run": turn, "failures": [failure],
                "turns": [{"turn": turn, "data": {"n": number, "i": whole, file.as_str(): [id]}}], "seconds": seconds,
            });
            serde_json::from_value(scenario).unwrap()
        })
    }

    proptest! {
        #[test]
        fn a_report_round_trips_through_json(scenarios in proptest::collection::vec(scenario(), 0..4), orphan: String, checked: bool) {
            let mut report = RunReport::new(ReportedRun::Test, "2/3".parse().ok());
            report.scenarios = scenarios;
            report.orphans = vec![orphan.clone()];
            report.head.models = BTreeMap::from([(orphan.clone(), orphan)]);
            report.checked = checked;
            let text = report.to_json();
            prop_assert_eq!(RunReport::from_json(&text).unwrap().to_json(), text);
        }
    }
}
