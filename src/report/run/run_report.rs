//! What a run of scenarios came to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reported_cause::ReportedCause;
use super::reported_finding::ReportedFinding;
use super::reported_scenario::ReportedScenario;
use crate::coverage::CoverageReport;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::diff::KnownCause;
use crate::scenario::{RecordedTurns, ScenarioResult};
use crate::threads::Shard;

/// The version of the format.
const VERSION: u32 = 1;

/// What a run came to, as `--report json` writes it. Keys always come in this order; readers pass over keys they do not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The version of the format.
    pub fsmsim_report: u32,
    /// What was run.
    pub kind: ReportedRun,
    /// Of which shards it is; none, where it is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<Shard>,
    /// The models, by path from the project, each with the hash of all its files.
    pub models: BTreeMap<String, String>,
    /// The scenarios, by file and position.
    pub scenarios: Vec<ReportedScenario>,
    /// What those that are not well are put down to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ReportedCause>,
    /// What was found about the input.
    pub findings: Vec<ReportedFinding>,
    /// Snapshots that belong to no scenario, from the project.
    pub orphans: Vec<String>,
    /// Differences that wait for a decision, where none may, from the project.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<String>,
    /// To what the scenarios came, where that was asked for.
    pub coverage: Option<CoverageReport>,
}

/// What was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedRun {
    /// Scenarios.
    Test,
    /// Dialogues with simulated users.
    Simulate,
    /// Recorded dialogues.
    Verify,
    /// Labelled utterances.
    Eval,
    /// The definitions alone.
    Lint,
}

impl RunReport {
    /// Nothing was run yet.
    pub fn new(kind: ReportedRun, shard: Option<Shard>) -> Self {
        Self {
            fsmsim_report: VERSION,
            kind,
            shards: shard.into_iter().collect(),
            models: BTreeMap::new(),
            scenarios: Vec::new(),
            causes: Vec::new(),
            findings: Vec::new(),
            orphans: Vec::new(),
            pending: Vec::new(),
            coverage: None,
        }
    }

    /// Adds what became of a scenario, with the lines of its trace where they were kept.
    pub fn push(
        &mut self,
        result: &ScenarioResult,
        records: Option<&RecordedTurns>,
        from_root: &dyn Fn(&str) -> String,
    ) {
        let lines = records.map_or(&[][..], |records| &records.lines);
        self.scenarios.push(ReportedScenario::of(result, lines, from_root));
    }

    /// Adds findings about the input.
    pub fn find(&mut self, found: &Diagnostics, sources: &SourceMap, from_root: &dyn Fn(&str) -> String) {
        self.findings.extend(found.items().iter().map(|finding| ReportedFinding::of(finding, sources, from_root)));
    }

    /// Puts scenarios, by address, down to what is known to have made them fall short. Places in former models begin with
    /// `former`.
    pub fn put_down(&mut self, known: &BTreeMap<String, KnownCause>, former: &str, from_root: &dyn Fn(&str) -> String) {
        let causes = self
            .scenarios
            .iter()
            .filter_map(|scenario| ReportedCause::known(known.get(&scenario.id)?, scenario, former, from_root));
        self.causes = causes.collect();
    }

    /// Brings everything into the order in which it is written, whatever the order in which it came. No finding is there
    /// twice.
    pub fn finish(&mut self) {
        self.scenarios.sort_by(|one, other| (&one.file, one.line, &one.id).cmp(&(&other.file, other.line, &other.id)));
        self.causes = ReportedCause::gathered(std::mem::take(&mut self.causes), &self.scenarios);
        for list in [&mut self.orphans, &mut self.pending] {
            list.sort();
            list.dedup();
        }
        self.findings.sort();
        self.findings.dedup();
    }

    /// Reads what `to_json` wrote.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let report: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if report.fsmsim_report > VERSION {
            return Err(format!("it is of version {}, and this program reads up to {VERSION}", report.fsmsim_report));
        }
        Ok(report)
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
