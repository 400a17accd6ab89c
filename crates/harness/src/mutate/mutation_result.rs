//! The results of the mutants of a model.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use strum::IntoStaticStr;

use super::mutant::Mutant;
use super::mutation_cache::MutantProof;
use crate::coverage::Share;
use crate::limits::MAX_SHOWN_CHANGE;
use fsmsim_syntax::diagnostic::{SourceFile, plural};
use fsmsim_syntax::terminal::{Joined, shortened};

/// The result of a mutant, with the names of the mutation testing report schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
pub enum MutantStatus {
    /// A scenario notices the change.
    Killed,
    /// No scenario notices the change.
    Survived,
    /// No scenario covers the changed lines, and none notices the change.
    NoCoverage,
    /// The changed model does not load.
    CompileError,
    /// The change makes no difference.
    Ignored,
}

/// A position in a file: the line and the column, from 1.
pub type LineColumn = (usize, usize);

/// A mutant and its result.
#[derive(Clone, Debug)]
pub struct MutantResult {
    /// The number among the mutants of the model, from 1.
    pub number: usize,
    pub mutant: Mutant,
    /// The replaced text.
    pub replaced: String,
    /// The position of the replaced text, and the position after it.
    pub place: (LineColumn, LineColumn),
    pub status: MutantStatus,
    pub reason: Option<String>,
    /// Whether a search proved that all dialogues are equal.
    pub is_proved: bool,
    /// The IDs of the scenarios that cover the changed lines.
    pub covered_by: Vec<String>,
    /// The ID of the scenario that killed it.
    pub killed_by: Option<String>,
    /// Whether an expectation killed it, and not only a snapshot.
    pub by_expectation: bool,
    /// The proposed scenario that kills it, as YAML.
    pub scenario: Option<String>,
}

/// The mutants of a model.
#[derive(Clone, Debug)]
pub struct MutatedModel {
    /// The model as the user named it.
    pub model: String,
    /// The files with mutants, by the path as loaded.
    pub files: Vec<(String, Arc<str>)>,
    pub mutants: Vec<MutantResult>,
    /// The number of scenarios that were played.
    pub scenarios: usize,
    /// The IDs of the scenarios that do not pass on the original.
    pub left_out: Vec<String>,
}

/// The numbers of mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MutationCounts {
    pub killed: usize,
    /// Those of the killed mutants that an expectation kills.
    pub killed_by_expectations: usize,
    pub survived: usize,
    pub no_coverage: usize,
    /// Those whose dialogues all equal the original's.
    pub equivalent: usize,
    /// Those whose machine equals the original's or another mutant's.
    pub duplicate: usize,
    pub not_loaded: usize,
}

impl MutantStatus {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether no scenario notices the change.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Survived | Self::NoCoverage)
    }
}

impl MutantResult {
    /// The mutant before it is judged.
    pub(super) fn new(number: usize, mutant: Mutant, file: &SourceFile) -> Self {
        let place = |offset: usize| {
            let at = u32::try_from(offset).unwrap_or(u32::MAX);
            let (line, start) = file.line_of(at);
            let before = file.text().get(start as usize..offset).unwrap_or_default();
            (line, before.chars().count() + 1)
        };
        let replaced = file.text().get(mutant.span.clone());
        Self {
            number,
            replaced: replaced.unwrap_or_default().to_owned(),
            place: (place(mutant.span.start), place(mutant.span.end)),
            mutant,
            status: MutantStatus::CompileError,
            reason: Some("the changed model does not load".to_owned()),
            is_proved: false,
            covered_by: Vec::new(),
            killed_by: None,
            by_expectation: false,
            scenario: None,
        }
    }

    /// Adds the result of the comparison with the original. `is_compared` is false if the change can have effects that a
    /// search does not compare.
    pub(super) fn conclude(&mut self, proof: MutantProof, is_compared: bool) {
        let reason = match proof {
            MutantProof::Equal(states) if is_compared => {
                self.status = MutantStatus::Ignored;
                self.is_proved = true;
                let pairs = plural(states, "pair");
                format!("proved equivalent: all dialogues are equal ({pairs} of states)")
            }
            MutantProof::Equal(_) => {
                "no difference in the compared parts of all dialogues".to_owned()
            }
            MutantProof::Open(reason) => reason,
            MutantProof::Differs(scenario) => {
                self.scenario = scenario;
                match self.scenario {
                    Some(_) => "the proposed scenario kills it".to_owned(),
                    None => "a dialogue differs, but no expectation notices it".to_owned(),
                }
            }
        };
        self.reason = Some(reason);
    }

    /// The path of the file, as loaded.
    pub fn file(&self) -> String {
        self.mutant.path.display().to_string()
    }

    /// The change in one line: the operator, and the replaced and the new text.
    pub fn change(&self) -> String {
        let [old, new] = [&self.replaced, &self.mutant.replacement].map(|text| {
            let line = text.split_whitespace().joined(" ");
            shortened(&line, MAX_SHOWN_CHANGE)
        });
        let change = match (&*old, &*new) {
            (old, "") => format!("without `{old}`"),
            ("", new) => format!("with `{new}`"),
            (old, new) => format!("`{old}` → `{new}`"),
        };
        format!("{}: {change}", self.mutant.operator.name())
    }
}

impl MutatedModel {
    pub fn counts(&self) -> MutationCounts {
        MutationCounts::of(std::slice::from_ref(self))
    }
}

/// The counts and both scores in one line.
impl fmt::Display for MutationCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mutants = plural(self.all(), "mutant");
        write!(f, "{mutants}, {} killed", self.killed)?;
        for (count, what) in [
            (self.survived, "survived"),
            (self.no_coverage, "not covered"),
            (self.equivalent, "proved equivalent"),
            (self.duplicate, "duplicate"),
            (self.not_loaded, "not loaded"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        let [expectations, score] =
            [self.score_of_expectations(), self.score()].map(Share::percent);
        write!(
            f,
            "; score {expectations}% by expectations, {score}% with snapshots"
        )
    }
}

impl MutationCounts {
    /// The counts of models.
    pub fn of(models: &[MutatedModel]) -> Self {
        let mut counts = Self::default();
        for result in models.iter().flat_map(|model| &model.mutants) {
            let count = match result.status {
                MutantStatus::Killed => &mut counts.killed,
                MutantStatus::Survived => &mut counts.survived,
                MutantStatus::NoCoverage => &mut counts.no_coverage,
                MutantStatus::CompileError => &mut counts.not_loaded,
                MutantStatus::Ignored if result.is_proved => &mut counts.equivalent,
                MutantStatus::Ignored => &mut counts.duplicate,
            };
            *count += 1;
            counts.killed_by_expectations += usize::from(result.by_expectation);
        }
        counts
    }

    pub fn all(self) -> usize {
        let decided = self.killed + self.survived + self.no_coverage;
        decided + self.equivalent + self.duplicate + self.not_loaded
    }

    /// The share of noticed mutants among those that make a difference.
    pub fn score(self) -> Share {
        Share {
            covered: self.killed,
            all: self.killed + self.survived + self.no_coverage,
        }
    }

    /// The share of mutants that expectations notice.
    pub fn score_of_expectations(self) -> Share {
        Share {
            covered: self.killed_by_expectations,
            ..self.score()
        }
    }
}
