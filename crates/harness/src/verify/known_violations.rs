//! Violations that are known, so that they do not fail a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use fsmsim_core::trace::{broken_line, read_json};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};

/// A kind of violation at a place in the model. It contains no line number, because edits move lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ViolationKind {
    /// The violated rule, or the first field that differs in a replay.
    pub kind: String,
    /// The recorded transition or the name of the property.
    pub place: String,
}

/// The known violations of a trace, each with the number of its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<KnownViolation>", into = "Vec<KnownViolation>")]
pub struct KnownViolations {
    entries: BTreeMap<ViolationKind, u64>,
    /// Whether each violation becomes known.
    accepts: bool,
}

/// A line of a file with known violations.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownViolation {
    #[serde(flatten)]
    at: ViolationKind,
    findings: u64,
}

/// The help for an invalid line.
const HELP: &str = "use a line as `--accept` writes it: {\"kind\":…,\"place\":…,\"findings\":…}";

impl ViolationKind {
    /// The kind of a finding.
    pub fn of(finding: &Finding) -> Self {
        Self {
            kind: finding.field.unwrap_or(finding.rule).to_owned(),
            place: finding.subject.clone(),
        }
    }
}

impl KnownViolations {
    /// No known violations. With `accepts`, each violation becomes known.
    pub fn accepting(accepts: bool) -> Self {
        Self {
            accepts,
            ..Self::default()
        }
    }

    /// Reads a file. The violations in it have no findings yet.
    pub fn load(
        path: &std::path::Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
        let text = sources.text(file);
        let name = path.display().to_string();
        let mut known = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            match read_json::<KnownViolation>(line) {
                Ok(read) => {
                    known.entries.insert(read.at, 0);
                }
                Err((reason, at)) => {
                    found.push(broken_line(&reason, at, line, number, &name, HELP, sources));
                }
            }
        }
        found.no_errors_since(errors).then_some(known)
    }

    /// Removes the known findings, and returns their number.
    pub(super) fn take(&mut self, findings: &mut Vec<Finding>) -> u64 {
        if self.entries.is_empty() && !self.accepts {
            return 0;
        }
        let before = findings.len();
        findings.retain(|finding| {
            let kind = ViolationKind::of(finding);
            if self.accepts {
                *self.entries.entry(kind).or_default() += 1;
                return false;
            }
            let count = self.entries.get_mut(&kind);
            count.map(|count| *count += 1).is_none()
        });
        (before - findings.len()) as u64
    }

    /// Adds the findings in other dialogues of the same trace.
    pub fn add(&mut self, other: &Self) {
        for (kind, count) in &other.entries {
            let mine = self.entries.entry(kind.clone()).or_default();
            *mine = mine.saturating_add(*count);
        }
    }

    /// Whether no violation is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of known findings.
    pub fn findings(&self) -> u64 {
        self.entries.values().copied().fold(0, u64::saturating_add)
    }

    /// The known violations without findings.
    pub fn vanished(&self) -> impl Iterator<Item = &ViolationKind> {
        self.entries
            .iter()
            .filter_map(|(kind, count)| (*count == 0).then_some(kind))
    }

    /// The violations with findings as a file: sorted, one on each line.
    pub fn to_text(&self) -> String {
        let lines = Vec::from(self.clone()).into_iter();
        lines
            .filter(|line| line.findings > 0)
            .map(|line| serde_json::to_string(&line).unwrap_or_default() + "\n")
            .collect()
    }
}

impl From<Vec<KnownViolation>> for KnownViolations {
    fn from(lines: Vec<KnownViolation>) -> Self {
        Self {
            entries: lines
                .into_iter()
                .map(|line| (line.at, line.findings))
                .collect(),
            accepts: false,
        }
    }
}

impl From<KnownViolations> for Vec<KnownViolation> {
    fn from(known: KnownViolations) -> Self {
        let entries = known.entries.into_iter();
        entries
            .map(|(at, findings)| KnownViolation { at, findings })
            .collect()
    }
}
