//! What the verification of a trace comes to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::dialogue_verdict::DialogueVerdict;
use super::finding::Finding;
use super::property_tally::PropertyTally;
use super::property_watch::RULE;
use crate::limits::MAX_UNUSABLE_DIALOGUES;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_syntax::diagnostic::plural;

/// How a trace is held against a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By what the model declares.
    #[default]
    Structure,
    /// By playing what went in.
    Replay,
}

impl Mode {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What the verification of a trace comes to, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// What the trace is called.
    pub trace: String,
    /// What the model is called.
    pub model: String,
    /// How the one was held against the other.
    pub mode: Mode,
    /// Dialogues that were looked at.
    pub dialogues: u64,
    pub turns: u64,
    /// Dialogues with findings.
    pub broken: u64,
    /// Turns behind a divergence, which were not compared.
    pub not_compared: u64,
    /// Dialogues and lines that could not be used.
    pub unusable: u64,
    /// The last line of the trace that was read to its dialogues; of a share of them the same as of all.
    pub last_line: usize,
    /// How often each rule was broken, or each field differed first.
    pub counts: BTreeMap<Cow<'static, str>, u64>,
    /// The profiles in which the dialogues were looked at.
    pub profiles: BTreeSet<Profile>,
    /// What they come to by each property of the model, in its order.
    pub properties: Vec<PropertyTally>,
}

impl Verification {
    /// Nothing was looked at yet.
    pub(super) fn new(trace: &str, model: String, mode: Mode) -> Self {
        Self {
            trace: trace.to_owned(),
            model,
            mode,
            ..Self::default()
        }
    }

    /// Counts a dialogue that was held against a model.
    pub(super) fn push(&mut self, verdict: &DialogueVerdict, profile: Profile, machine: &Machine) {
        self.dialogues += 1;
        self.turns += verdict.turns as u64;
        self.broken += u64::from(!verdict.findings.is_empty());
        self.profiles.insert(profile);
        self.count(&verdict.findings);
        // The same model in another profile has the same properties.
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

    /// When all dialogues are counted: what speaks against all of them together.
    pub fn close(&mut self) -> Vec<Finding> {
        let dialogues = plural(self.dialogues, "dialogue");
        let findings = self
            .properties
            .iter()
            .filter_map(|tally| tally.unreached(&dialogues, self.unusable));
        let findings: Vec<Finding> = findings.collect();
        self.count(&findings);
        findings
    }

    /// Adds what other dialogues of the same trace came to.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.dialogues, other.dialogues),
            (&mut self.turns, other.turns),
            (&mut self.broken, other.broken),
            (&mut self.not_compared, other.not_compared),
            (&mut self.unusable, other.unusable),
        ] {
            *mine = mine.saturating_add(theirs);
        }
        for (name, theirs) in &other.counts {
            let mine = self.counts.entry(name.clone()).or_default();
            *mine = mine.saturating_add(*theirs);
        }
        self.profiles.extend(&other.profiles);
        // Whoever looked at no dialogue knows no property.
        if self.properties.is_empty() {
            self.properties.clone_from(&other.properties);
        } else {
            for (mine, theirs) in self.properties.iter_mut().zip(&other.properties) {
                mine.join(theirs);
            }
        }
    }

    /// Whether so much could not be used that the rest of the trace was not read.
    pub fn gave_up(&self) -> bool {
        self.unusable >= MAX_UNUSABLE_DIALOGUES
    }

    fn count(&mut self, findings: &[Finding]) {
        for finding in findings {
            *self
                .counts
                .entry(finding.field.unwrap_or(finding.rule).into())
                .or_default() += 1;
            self.not_compared += finding.not_compared as u64;
        }
    }

    /// Properties by which some dialogue stopped while something was owed.
    pub fn open(&self) -> impl Iterator<Item = &PropertyTally> {
        self.properties.iter().filter(|tally| tally.open > 0)
    }

    /// Properties that could not be judged, or not in all turns.
    pub fn not_judged(&self) -> impl Iterator<Item = &PropertyTally> {
        self.properties
            .iter()
            .filter(|tally| tally.is_unjudged(self.unusable))
    }

    /// Whether some dialogue went another way than the model did.
    pub fn parts(&self) -> bool {
        self.mode == Mode::Replay && self.counts.keys().any(|count| *count != RULE)
    }

    /// Whether all of the trace keeps to the model.
    pub fn keeps(&self) -> bool {
        self.findings() == 0 && self.unusable == 0
    }

    /// How many findings there are.
    pub fn findings(&self) -> u64 {
        self.counts.values().copied().fold(0, u64::saturating_add)
    }
}
