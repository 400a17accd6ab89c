//! The result of a scenario in a report.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::super::finding_line::FindingLine;
use super::reported_failure::{DecidingRule, FailedAgainst, ReportedFailure};
use super::reported_place::ReportedPlace;
use fsmsim_core::machine::Profile;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::scenario::{
    ExpectationFailure, FailureCause, ScenarioEnd, ScenarioResult, ScenarioVerdict, TrialTally,
    UnexpectedPass, UnreadKind, UnreadTurn,
};
use fsmsim_harness::snapshot::SnapshotOutcome;
use fsmsim_harness::verify::RecordedDialogue;
use fsmsim_syntax::diagnostic::{Place, Severity};
use fsmsim_syntax::document::long_text_diff;
use fsmsim_syntax::terminal::Joined;

/// The result of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedScenario {
    /// The ID: `FILE::TITLE`, or `FILE::TITLE[k=v,…]` for a case. Without a title, only the file.
    pub id: String,
    /// The file, relative to the project.
    pub file: String,
    /// The line of the title, or of the case.
    pub line: usize,
    /// The values of the case.
    pub case: Option<String>,
    /// The model, relative to the project, if it was found.
    pub model: Option<String>,
    pub profile: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub verdict: ScenarioVerdict,
    /// Why the scenario did not run, or the reason given for its known failure.
    pub reason: Option<String>,
    /// The number of turns that ran.
    pub turns_run: usize,
    /// The unmet expectations.
    pub failures: Vec<ReportedFailure>,
    /// The records of the turns, unless the scenario passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<serde_json::Value>>,
    /// The results of the trials, if trials are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialTally>,
    /// The duration in seconds, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Further lines about the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ReportedScenario {
    /// Converts a result; `from_root` converts command-line paths to relative paths, and `records` contains the lines
    /// of the trace.
    pub(super) fn of(
        id: &str,
        result: &ScenarioResult,
        records: &[String],
        from_root: &dyn Fn(&str) -> String,
    ) -> Self {
        let verdict = result.verdict();
        let model = result.model.as_ref();
        let records = match verdict {
            ScenarioVerdict::Passed => &[],
            _ => records,
        };
        let turns = records
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        let turns: Option<Vec<serde_json::Value>> = (!records.is_empty()).then(|| turns.collect());
        let reports = turns
            .iter()
            .flatten()
            .filter_map(|turn| TurnReport::deserialize(turn).ok());
        let writer = FailureWriter {
            result,
            turns: reports.collect(),
            from_root,
        };
        Self {
            id: id.to_owned(),
            file: from_root(&result.place.path),
            line: result.case_place.as_ref().unwrap_or(&result.place).line,
            case: result.case.clone(),
            model: model.map(|model| from_root(&model.path.display().to_string())),
            profile: result.profile.map(str::to_owned),
            tags: result.tags.clone(),
            verdict,
            reason: reason(result),
            turns_run: if let ScenarioEnd::Played(outcome) = &result.end {
                outcome.turns
            } else {
                0
            },
            failures: writer.all(),
            turns,
            trials: result.trials.clone(),
            seconds: None,
            notes: Vec::new(),
        }
    }

    /// A recorded dialogue that violates its model. `findings` are about this dialogue.
    pub fn violating(
        dialogue: &RecordedDialogue,
        findings: &[FindingLine],
        model: String,
        profile: Option<Profile>,
        from_root: &dyn Fn(&str) -> String,
    ) -> Self {
        let mut report = Self::of_findings(&dialogue.name, findings, from_root);
        report.line = dialogue.line;
        report.model = Some(model);
        report.profile = profile.map(|profile| profile.name().to_owned());
        report.turns_run = dialogue.turns.len();
        report.turns = Some(dialogue.turns.clone());
        report
    }

    /// Findings about recorded dialogues as failures. They have the same trace.
    pub(in crate::report) fn of_findings(
        title: &str,
        findings: &[FindingLine],
        from_root: &dyn Fn(&str) -> String,
    ) -> Self {
        let file = findings.first().map_or("", |finding| &finding.file);
        let failures = findings.iter().map(|finding| ReportedFailure {
            turn: finding.turn,
            at: ReportedPlace {
                file: from_root(&finding.file),
                line: finding.line,
                column: None,
            },
            field: finding.field.as_ref().unwrap_or(&finding.rule).to_string(),
            expected: Some(finding.model.clone()),
            actual: Some(finding.found.clone()),
            by: finding.place.as_ref().map(|at| DecidingRule {
                rule: finding.rule.to_string(),
                at: Some(ReportedPlace::read(at, from_root)),
            }),
            ..ReportedFailure::default()
        });
        let file = from_root(file);
        Self {
            id: format!("{file}::{title}"),
            file,
            line: 1,
            case: None,
            model: None,
            profile: None,
            tags: Vec::new(),
            verdict: ScenarioVerdict::Failed,
            reason: None,
            turns_run: 0,
            failures: failures.collect(),
            turns: None,
            trials: None,
            seconds: None,
            notes: Vec::new(),
        }
    }

    /// The dialogue as lines: utterances and target states.
    pub(super) fn conversation(&self) -> Vec<String> {
        let turns = self
            .turns
            .iter()
            .flatten()
            .filter_map(|turn| TurnReport::deserialize(turn).ok());
        conversation(turns)
    }

    /// The first turn with an unmet expectation. `None` if the scenario failed at the end.
    pub fn fell_in(&self) -> Option<u32> {
        let failures = self
            .failures
            .iter()
            .filter(|failure| failure.known.is_none());
        failures.filter_map(|failure| failure.turn).min()
    }
}

/// The lines of a dialogue: utterances and target states.
pub(super) fn conversation(turns: impl Iterator<Item = TurnReport>) -> Vec<String> {
    let lines = turns.map(|turn| turn.to_string());
    lines
        .flat_map(|turn| turn.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Why a scenario did not run to the end.
fn reason(result: &ScenarioResult) -> Option<String> {
    match &result.end {
        ScenarioEnd::Invalid => {
            let mut errors = result
                .found
                .items()
                .iter()
                .filter(|finding| finding.severity == Severity::Error);
            errors.next().map(|finding| finding.title.clone())
        }
        ScenarioEnd::Unread(UnreadTurn {
            turn, what, reason, ..
        }) => Some(match what {
            UnreadKind::Subject => format!("turn {turn}: {}: {reason}", what.words()),
            _ => format!("turn {turn}: {reason}"),
        }),
        ScenarioEnd::Skipped => result.skip.clone(),
        ScenarioEnd::Undecided(reason) => Some(reason.clone()),
        ScenarioEnd::Played(outcome) => outcome.known.first().map(|known| known.reason.to_string()),
    }
}

/// Converts the failures of a scenario for a report.
struct FailureWriter<'r> {
    result: &'r ScenarioResult,
    turns: Vec<TurnReport>,
    from_root: &'r dyn Fn(&str) -> String,
}

impl FailureWriter<'_> {
    fn all(&self) -> Vec<ReportedFailure> {
        let ScenarioEnd::Played(outcome) = &self.result.end else {
            return Vec::new();
        };
        let failures = outcome
            .failures
            .iter()
            .map(|failure| self.expectation(failure, None));
        let known = outcome
            .known
            .iter()
            .map(|known| self.expectation(&known.failure, Some(&known.reason)));
        let passes = outcome
            .unexpected_passes
            .iter()
            .map(|pass| self.unexpected_pass(pass));
        failures
            .chain(passes)
            .chain(known)
            .chain(self.snapshot())
            .collect()
    }

    fn place(&self, place: &Place) -> ReportedPlace {
        ReportedPlace::of(place, (self.from_root)(&place.path))
    }

    /// The rule that decided a field in a turn; without a turn, in the last one.
    fn by(&self, turn: Option<u32>, field: &str) -> Option<DecidingRule> {
        let record = match turn {
            Some(turn) => self.turns.iter().find(|record| record.turn == turn),
            None => self.turns.last(),
        };
        DecidingRule::of(record?, field, self.from_root)
    }

    fn expectation(&self, failure: &ExpectationFailure, known: Option<&str>) -> ReportedFailure {
        let mismatch = &failure.mismatch;
        ReportedFailure {
            turn: failure.turn,
            used_at: failure
                .used_at
                .iter()
                .map(|place| self.place(place))
                .collect(),
            expected: Some(mismatch.expected.clone()),
            actual: Some(mismatch.actual.clone()),
            accepted: failure.accepted.clone(),
            diff: mismatch.diff(),
            nearest: mismatch.nearest.clone(),
            by: self.by(failure.turn, &mismatch.path),
            known: known.map(str::to_owned),
            by_model: failure.cause == FailureCause::Model,
            at: self.place(&failure.place),
            field: mismatch.path.clone(),
            ..ReportedFailure::default()
        }
    }

    fn unexpected_pass(&self, pass: &UnexpectedPass) -> ReportedFailure {
        ReportedFailure {
            turn: pass.turn,
            at: self.place(&pass.place),
            against: FailedAgainst::ExpectedFailure,
            field: pass.field.unwrap_or("expected_failure").to_owned(),
            expected: Some(format!("a failure: {}", pass.reason)),
            ..ReportedFailure::default()
        }
    }

    /// The differing fields of the snapshot; without a snapshot, a single failure.
    fn snapshot(&self) -> Vec<ReportedFailure> {
        let SnapshotOutcome::Differs { difference, .. } = &self.result.snapshot else {
            return Vec::new();
        };
        let template = ReportedFailure {
            at: self.place(&self.result.place),
            against: FailedAgainst::Snapshot,
            field: "snapshot".to_owned(),
            ..ReportedFailure::default()
        };
        let Some(difference) = difference else {
            return vec![template];
        };
        let place = |rule: &Option<String>| rule.clone().map(ReportedPlace::from);
        let parts = |field: &Option<String>| {
            let (name, value) = field.as_deref()?.split_once(':')?;
            Some((name.to_owned(), value.trim_start().to_owned()))
        };
        let mut failures = Vec::new();
        for turn in &difference.turns {
            for (old, new) in &turn.fields {
                let old = parts(old);
                let new = parts(new);
                let field = new
                    .as_ref()
                    .or(old.as_ref())
                    .map_or("turn".to_owned(), |(field, _)| field.clone());
                let texts = [old, new].map(|side| side.map(|(_, value)| value));
                for (field, [expected, actual]) in differing_parts(field, texts) {
                    let text = |side: &Option<String>| side.clone().unwrap_or_default();
                    failures.push(ReportedFailure {
                        turn: Some(turn.turn),
                        by: self.by(Some(turn.turn), &field),
                        was_by: place(&turn.rules.0),
                        field,
                        diff: long_text_diff(&text(&expected), &text(&actual)),
                        expected,
                        actual,
                        ..template.clone()
                    });
                }
            }
        }
        failures
    }
}

/// A part of a field that differs: its path, and the accepted and the current value.
type DifferingPart = (String, [Option<String>; 2]);

/// The parts of a field that differ, if both values are maps; otherwise, the complete field.
fn differing_parts(field: String, texts: [Option<String>; 2]) -> Vec<DifferingPart> {
    let [old, new] = texts
        .each_ref()
        .map(|text| serde_yaml::from_str::<Json>(text.as_deref()?).ok());
    let mut parts = Vec::new();
    if let (Some(old @ Json::Object(_)), Some(new @ Json::Object(_))) = (&old, &new) {
        add_parts(&field, [Some(old), Some(new)], &mut parts);
    }
    if parts.is_empty() {
        parts.push((field, texts));
    }
    parts
}

fn add_parts(path: &str, sides: [Option<&Json>; 2], parts: &mut Vec<DifferingPart>) {
    let text = |value: &Json| match value {
        Json::String(text) => text.clone(),
        value => value.to_string(),
    };
    let texts = match sides {
        [old, new] if old == new => return,
        [Some(Json::Object(old)), Some(Json::Object(new))] => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            // The target of a transition comes before its origin, which follows from earlier turns.
            let (last, first): (Vec<_>, Vec<_>) =
                keys.into_iter().partition(|key| key.as_str() == "from");
            for key in first.into_iter().chain(last) {
                let path = format!("{path}.{key}");
                add_parts(&path, [old.get(key), new.get(key)], parts);
            }
            return;
        }
        // Of two lists, the items that only one of them has.
        [Some(Json::Array(old)), Some(Json::Array(new))] => {
            let only = |list: &[Json], other: &[Json]| {
                let items = list.iter().filter(|item| !other.contains(item));
                items.map(text).joined(", ")
            };
            let texts = [only(old, new), only(new, old)];
            if texts.iter().all(String::is_empty) {
                sides.map(|side| side.map(text))
            } else {
                texts.map(|text| Some(text).filter(|text| !text.is_empty()))
            }
        }
        sides => sides.map(|side| side.map(text)),
    };
    parts.push((path.to_owned(), texts));
}
