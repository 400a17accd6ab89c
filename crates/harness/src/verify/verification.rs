//! The result of verifying a trace.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::dialogue_verdict::DialogueVerdict;
use super::finding::Finding;
use super::known_violations::KnownViolations;
use super::property_tally::PropertyTally;
use super::property_watch::RULE;
use super::rules::transition::PERMITTED;
use crate::limits::MAX_INVALID_DIALOGUES;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_syntax::diagnostic::plural;

/// How a trace is checked against a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Check each turn against the declarations of the model
    #[default]
    Structure,
    /// Replay the inputs and compare the results
    Replay,
}

impl Mode {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The numbers that result from verifying a trace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verification {
    /// The name of the trace.
    pub trace: String,
    /// The name of the model.
    pub model: String,
    pub mode: Mode,
    /// The number of dialogues that were checked.
    pub dialogues: u64,
    pub turns: u64,
    /// The number of dialogues with findings.
    pub violating: u64,
    /// The number of turns after a divergence, which were not compared.
    pub not_compared: u64,
    /// The number of invalid dialogues and lines.
    pub invalid: u64,
    /// The number of the last line that was read, or the total of several traces. It is the same in every shard as in a
    /// run without shards.
    pub last_line: usize,
    /// The number of findings for each rule, or for each field that differs first.
    pub counts: BTreeMap<Cow<'static, str>, u64>,
    /// The number of turns in which each field has a wrong type, so that it was not checked.
    pub not_checked_fields: BTreeMap<Cow<'static, str>, u64>,
    /// The profiles with which dialogues were checked, if they change the behavior of the model.
    #[serde(skip)]
    pub profiles: BTreeSet<Profile>,
    /// The results for each property of the model, in the order of the properties.
    pub properties: Vec<PropertyTally>,
    /// The known violations. They are not counted as findings.
    pub known: KnownViolations,
}

impl Verification {
    /// A result that contains no dialogues yet.
    pub(super) fn new(trace: &str, model: String, mode: Mode, known: KnownViolations) -> Self {
        Self {
            trace: trace.to_owned(),
            model,
            mode,
            known,
            ..Self::default()
        }
    }

    /// Adds a checked dialogue.
    pub(super) fn push(&mut self, verdict: &DialogueVerdict, profile: Profile, machine: &Machine) {
        self.dialogues += 1;
        self.turns += verdict.turns as u64;
        self.violating += u64::from(!verdict.findings.is_empty());
        self.profiles
            .extend(machine.has_profiles().then_some(profile));
        self.count(&verdict.findings);
        for (name, turns) in &verdict.not_checked {
            *self.not_checked_fields.entry((*name).into()).or_default() += turns;
        }
        // A model has the same properties in every profile.
        if self.properties.is_empty() {
            let tallies = machine
                .properties
                .iter()
                .map(|property| PropertyTally::new(property, machine));
            self.properties.extend(tallies);
        }
        for (tally, sighting) in self.properties.iter_mut().zip(&verdict.sightings) {
            tally.add(*sighting);
        }
    }

    /// Completes the numbers. Returns the findings about all dialogues together.
    pub fn close(&mut self) -> Vec<Finding> {
        let dialogues = plural(self.dialogues, "dialogue");
        let mut findings: Vec<Finding> = self
            .properties
            .iter()
            .filter_map(|tally| tally.unreached(&dialogues, self.invalid))
            .collect();
        self.known.take(&mut findings);
        self.count(&findings);
        findings
    }

    /// Adds the results from other dialogues of the same trace.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.dialogues, other.dialogues),
            (&mut self.turns, other.turns),
            (&mut self.violating, other.violating),
            (&mut self.not_compared, other.not_compared),
            (&mut self.invalid, other.invalid),
        ] {
            *mine = mine.saturating_add(theirs);
        }
        for (mine, theirs) in [
            (&mut self.counts, &other.counts),
            (&mut self.not_checked_fields, &other.not_checked_fields),
        ] {
            for (name, theirs) in theirs {
                let mine = mine.entry(name.clone()).or_default();
                *mine = mine.saturating_add(*theirs);
            }
        }
        self.profiles.extend(&other.profiles);
        self.known.add(&other.known);
        // A result that contains no dialogues has no properties either.
        if self.properties.is_empty() {
            self.properties.clone_from(&other.properties);
        } else {
            for (mine, theirs) in self.properties.iter_mut().zip(&other.properties) {
                mine.join(theirs);
            }
        }
    }

    /// Whether the rest of the trace was not read because too many dialogues and lines are invalid.
    pub fn gave_up(&self) -> bool {
        self.invalid >= MAX_INVALID_DIALOGUES
    }

    pub(super) fn count(&mut self, findings: &[Finding]) {
        for finding in findings {
            *self
                .counts
                .entry(finding.field.unwrap_or(finding.rule).into())
                .or_default() += 1;
            self.not_compared += finding.not_compared as u64;
        }
    }

    /// The properties for which an obligation was pending at the end of any dialogue.
    pub fn pending(&self) -> impl Iterator<Item = &PropertyTally> {
        self.properties.iter().filter(|tally| tally.pending > 0)
    }

    /// The properties that could not be checked in every turn.
    pub fn not_checked(&self) -> impl Iterator<Item = &PropertyTally> {
        self.properties
            .iter()
            .filter(|tally| tally.is_unchecked(self.invalid))
    }

    /// Whether any dialogue diverged from the model.
    pub fn parts(&self) -> bool {
        let parts = |count: &Cow<'static, str>| *count != RULE && *count != PERMITTED;
        self.mode == Mode::Replay && self.counts.keys().any(parts)
    }

    /// Whether the whole trace conforms to the model.
    pub fn conforms(&self) -> bool {
        self.findings() == 0 && self.invalid == 0
    }

    /// The number of findings.
    pub fn findings(&self) -> u64 {
        self.counts.values().copied().fold(0, u64::saturating_add)
    }
}
