//! What the verification of a trace comes to.

use std::collections::{BTreeMap, BTreeSet};

use strum::IntoStaticStr;

use super::finding::Finding;
use crate::machine::Profile;

/// How a trace is held against a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, IntoStaticStr)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// By what the model declares.
    #[default]
    Structure,
    /// By playing what went in.
    Replay,
}

impl Mode {
    /// The name.
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
    /// Their turns.
    pub turns: u64,
    /// Dialogues with findings.
    pub broken: u64,
    /// Turns behind a divergence, which were not compared.
    pub not_compared: u64,
    /// Dialogues and lines that could not be used.
    pub unusable: u64,
    /// How often each rule was broken, or each field differed first.
    pub counts: BTreeMap<&'static str, u64>,
    /// The profiles in which the dialogues were looked at.
    pub profiles: BTreeSet<Profile>,
}

impl Verification {
    /// Nothing was looked at yet.
    pub(super) fn new(trace: &str, model: String, mode: Mode) -> Self {
        Self { trace: trace.to_owned(), model, mode, ..Self::default() }
    }

    /// Counts a dialogue.
    pub(super) fn push(&mut self, turns: usize, profile: Profile, findings: &[Finding]) {
        self.dialogues += 1;
        self.turns += turns as u64;
        self.broken += u64::from(!findings.is_empty());
        self.profiles.insert(profile);
        for finding in findings {
            *self.counts.entry(finding.field.unwrap_or(finding.rule)).or_default() += 1;
            self.not_compared += finding.not_compared as u64;
        }
    }

    /// How many findings there are.
    pub fn findings(&self) -> u64 {
        self.counts.values().sum()
    }
}
