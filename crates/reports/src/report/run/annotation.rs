//! Problems of a run at lines of files, as GitHub and GitLab show them.

use std::collections::{BTreeMap, BTreeSet};

use super::failure_words::{diff, headline, reason};
use super::reported_cause::ReportedCause;
use super::reported_finding::ReportedFinding;
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use crate::limits::MAX_NAMED_SCENARIOS;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::{Joined, printable};

/// A problem, or a remark, at a line.
pub(super) struct Annotation {
    /// `error`, `warning` or `notice`.
    pub level: &'static str,
    pub at: Option<ReportedPlace>,
    /// The kind of the problem, such as a verdict or the code of a finding.
    pub kind: String,
    /// The thing that has the problem; can be empty.
    pub subject: String,
    pub message: String,
}

impl Annotation {
    /// The problems of a run. Each cause comes first: an edit at its line, another cause as its first scenario.
    /// The problems of a run over models are its findings.
    pub(super) fn problems(report: &RunReport) -> Vec<Self> {
        if report.head.kind.is_about_models() {
            return report.findings.iter().map(Self::of_finding).collect();
        }
        let (edits, others): (Vec<_>, Vec<_>) = report
            .causes
            .iter()
            .partition(|cause| cause.kind.is_of_model());
        let examples: BTreeSet<&String> = others
            .iter()
            .filter_map(|cause| cause.scenarios.first())
            .collect();
        let mut problems: Vec<Self> = edits
            .into_iter()
            .map(|cause| Self::of_edit(report, cause))
            .collect();
        for is_example in [true, false] {
            let scenarios = report.scenarios.iter();
            let scenarios = scenarios.filter(|one| examples.contains(&one.id) == is_example);
            problems.extend(scenarios.filter_map(|one| Self::of_scenario(report, one)));
        }
        problems.extend(report.waiting().map(|(what, path)| Self {
            level: "error",
            at: Some(ReportedPlace {
                file: path.to_owned(),
                ..ReportedPlace::default()
            }),
            kind: "snapshot".to_owned(),
            subject: String::new(),
            message: format!("the snapshot is {what}"),
        }));
        problems
    }

    /// An edit that changed scenarios, at the edited line. An edit without a line is at its first scenario.
    fn of_edit(report: &RunReport, cause: &ReportedCause) -> Self {
        let first = cause.scenarios.first();
        let example = report.scenarios.iter().find(|one| Some(&one.id) == first);
        let edit = cause.edit.iter().map(|line| printable(line));
        let ids: Vec<&str> = cause.scenarios.iter().map(String::as_str).collect();
        Self {
            level: "error",
            at: cause.at.clone().or_else(|| example.map(place)),
            kind: "cause".to_owned(),
            subject: cause.below(&report.head.prefix()).title,
            message: edit.chain(named(&ids)).joined("\n"),
        }
    }

    /// The problem of a scenario at its line; an invalid scenario at its error.
    fn of_scenario(report: &RunReport, scenario: &ReportedScenario) -> Option<Self> {
        let level = match scenario.verdict {
            ScenarioVerdict::Passed
            | ScenarioVerdict::Skipped
            | ScenarioVerdict::ExpectedFailure => {
                return None;
            }
            ScenarioVerdict::Failed
            | ScenarioVerdict::UnexpectedPass
            | ScenarioVerdict::Invalid => "error",
            ScenarioVerdict::Unavailable | ScenarioVerdict::Inconclusive => "warning",
        };
        let finding = report.finding_of(scenario);
        let at = finding.and_then(|finding| finding.at.clone());
        let help = finding
            .and_then(|finding| finding.help.as_deref())
            .map(|help| format!("\n{}", printable(help)));
        let message = match &*scenario.failures {
            [] => reason(scenario),
            failures => {
                let lines = |failure| [headline(failure)].into_iter().chain(diff(failure));
                failures.iter().flat_map(lines).joined("\n")
            }
        };
        Some(Self {
            level,
            at: Some(at.unwrap_or_else(|| place(scenario))),
            kind: scenario.verdict.name().to_owned(),
            subject: scenario.id.clone(),
            message: message + &help.unwrap_or_default(),
        })
    }

    /// A finding about the input.
    fn of_finding(finding: &ReportedFinding) -> Self {
        let level = match &*finding.severity {
            "error" => "error",
            "warning" => "warning",
            _ => "notice",
        };
        Self {
            level,
            at: finding.at.clone(),
            kind: finding.code.clone(),
            subject: finding.title.clone(),
            message: finding.notes.iter().chain(&finding.help).joined("\n"),
        }
    }

    /// The lines that decided failures, except lines with a problem.
    pub(super) fn deciding(report: &RunReport, problems: &[Self]) -> Vec<Self> {
        let mut decided: BTreeMap<&ReportedPlace, Vec<&str>> = BTreeMap::new();
        for scenario in report
            .scenarios
            .iter()
            .filter(|scenario| scenario.verdict == ScenarioVerdict::Failed)
        {
            let failure = scenario
                .failures
                .iter()
                .find(|failure| failure.known.is_none());
            if let Some(at) = failure.and_then(|failure| failure.by.as_ref()?.at.as_ref())
                && !problems.iter().any(|known| known.at.as_ref() == Some(at))
            {
                decided.entry(at).or_default().push(&scenario.id);
            }
        }
        let annotation = |(at, ids): (&ReportedPlace, Vec<&str>)| Self {
            level: "notice",
            at: Some(at.clone()),
            kind: "decided a failed turn".to_owned(),
            subject: String::new(),
            message: named(&ids).joined("\n"),
        };
        decided.into_iter().map(annotation).collect()
    }

    /// The kind and the subject, on one line.
    pub(super) fn title(&self) -> String {
        match &*self.subject {
            "" => self.kind.clone(),
            subject => format!("{}: {subject}", self.kind),
        }
    }
}

fn place(scenario: &ReportedScenario) -> ReportedPlace {
    ReportedPlace {
        file: scenario.file.clone(),
        line: Some(scenario.line),
        column: None,
    }
}

/// The first scenarios, and the number of the others.
fn named(ids: &[&str]) -> impl Iterator<Item = String> {
    let more = ids.len().saturating_sub(MAX_NAMED_SCENARIOS);
    ids.iter()
        .take(MAX_NAMED_SCENARIOS)
        .map(|id| printable(id))
        .chain((more > 0).then(|| format!("and {more} more")))
}
