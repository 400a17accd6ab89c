//! The report of a trace verification.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::finding_line::FindingLine;
use super::headed_report::SharedResult;
use super::reported_scenario::ReportedScenario;
use fsmsim_core::machine::Profile;
use fsmsim_harness::verify::{KnownViolations, Mode, PropertyTally, Verification};

/// The report of a trace verification. The order of the keys is fixed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedVerification {
    conforms: bool,
    mode: Mode,
    trace: String,
    /// The last line of the trace that belongs to a dialogue.
    last_line: usize,
    /// The hash of the field map, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<String>,
    model: String,
    profiles: Vec<String>,
    dialogues: u64,
    violating: u64,
    invalid: u64,
    turns: u64,
    not_compared: u64,
    pending: BTreeMap<String, u64>,
    not_checked: BTreeMap<String, u64>,
    not_checked_fields: BTreeMap<Cow<'static, str>, u64>,
    findings: u64,
    counts: BTreeMap<Cow<'static, str>, u64>,
    /// The results of the properties, in the order of the model.
    properties: Vec<PropertyTally>,
    /// The known violations with their numbers of findings. They are not counted above.
    #[serde(default, skip_serializing_if = "KnownViolations::is_empty")]
    known: KnownViolations,
    /// The maximum number of findings in `first`.
    limit: usize,
    /// The first findings, by line.
    pub first: Vec<FindingLine>,
    /// The first violating dialogues, in the report of a shard.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ReportedScenario>,
}

impl ReportedVerification {
    /// The report of a verification, with its first findings.
    pub fn new(
        verification: &Verification,
        map: Option<String>,
        limit: usize,
        first: &[FindingLine],
    ) -> Self {
        let Verification {
            mode,
            trace,
            model,
            dialogues,
            violating,
            invalid,
            turns,
            not_compared,
            ..
        } = verification.clone();
        Self {
            conforms: verification.conforms(),
            mode,
            trace,
            last_line: verification.last_line,
            map,
            model,
            profiles: verification
                .profiles
                .iter()
                .map(|profile| profile.name().to_owned())
                .collect(),
            dialogues,
            violating,
            invalid,
            turns,
            not_compared,
            pending: verification
                .pending()
                .map(|tally| (tally.name.clone(), tally.pending))
                .collect(),
            not_checked: verification
                .not_checked()
                .map(|tally| (tally.name.clone(), tally.not_checked))
                .collect(),
            not_checked_fields: verification.not_checked_fields.clone(),
            findings: verification.findings(),
            counts: verification.counts.clone(),
            properties: verification.properties.clone(),
            known: verification.known.clone(),
            limit,
            first: first.to_vec(),
            examples: Vec::new(),
        }
    }

    /// The counts of the verification.
    pub fn verification(&self) -> Verification {
        let Self {
            mode,
            dialogues,
            violating,
            invalid,
            turns,
            not_compared,
            last_line,
            ..
        } = *self;
        Verification {
            trace: self.trace.clone(),
            model: self.model.clone(),
            mode,
            dialogues,
            turns,
            violating,
            not_compared,
            invalid,
            last_line,
            counts: self.counts.clone(),
            not_checked_fields: self.not_checked_fields.clone(),
            profiles: self
                .profiles
                .iter()
                .filter_map(|name| Profile::from_name(name))
                .collect(),
            properties: self.properties.clone(),
            known: self.known.clone(),
        }
    }

    /// Replaces the counts.
    fn recount(&mut self, verification: &Verification) {
        let examples = std::mem::take(&mut self.examples);
        let first = std::mem::take(&mut self.first);
        *self = Self::new(verification, self.map.take(), self.limit, &first);
        self.examples = examples;
    }
}

impl SharedResult for ReportedVerification {
    fn join(&mut self, other: Self) -> Result<(), &'static str> {
        let differs = [
            (
                "the trace",
                (&self.trace, self.last_line) != (&other.trace, other.last_line),
            ),
            ("the trace map", self.map != other.map),
            ("the model", self.model != other.model),
            ("the mode", self.mode != other.mode),
            (
                "the number of shown findings (`--limit`)",
                self.limit != other.limit,
            ),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(what);
        }
        let mut sum = self.verification();
        sum.add(&other.verification());
        FindingLine::keep_first(&mut self.first, other.first, self.limit);
        self.examples.extend(other.examples);
        self.examples
            .sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        self.examples.truncate(self.limit);
        self.recount(&sum);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), &'static str> {
        let mut merged = self.verification();
        if merged.gave_up() {
            return Err(
                "too much of the trace is invalid, so a complete run would have stopped early",
            );
        }
        if merged.turns == 0 && merged.invalid == 0 {
            return Err("no shard contains a turn, so nothing was checked");
        }
        let closing_findings = merged
            .close()
            .into_iter()
            .map(|finding| FindingLine::of(finding, &self.trace));
        FindingLine::keep_first(&mut self.first, closing_findings, self.limit);
        self.recount(&merged);
        Ok(())
    }
}
