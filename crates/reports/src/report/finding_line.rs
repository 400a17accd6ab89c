//! Findings of a verification as JSON lines.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use fsmsim_harness::verify::Finding;

/// A finding about a turn of a trace, or about all dialogues, as JSON. The order of the keys is fixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingLine {
    /// The dialogue; `None` if the finding is not about a single turn.
    pub dialogue: Option<String>,
    pub turn: Option<u32>,
    /// The name of the trace.
    pub file: String,
    /// The line of the trace.
    pub line: Option<usize>,
    /// The violated rule.
    pub rule: Cow<'static, str>,
    /// The first field that differs in a replay.
    pub field: Option<Cow<'static, str>>,
    /// The value in the trace.
    pub found: String,
    /// The value that the model declares or produced.
    pub model: String,
    /// The location in the model.
    pub place: Option<String>,
    /// The other fields that differ in a replay.
    pub also: Vec<Cow<'static, str>>,
    /// The number of later turns that were not compared.
    pub not_compared: usize,
}

impl FindingLine {
    /// Keeps the first `limit` findings, sorted by trace and line; findings without a line come last.
    pub fn keep_first(first: &mut Vec<Self>, more: impl IntoIterator<Item = Self>, limit: usize) {
        for finding in more {
            let is_after = first
                .last()
                .is_some_and(|last| last.place_in_file() <= finding.place_in_file());
            if first.len() < limit || !is_after {
                first.push(finding);
                if !is_after {
                    first.sort_by(|one, other| one.place_in_file().cmp(&other.place_in_file()));
                }
                first.truncate(limit);
            }
        }
    }

    fn place_in_file(&self) -> (bool, &str, Option<usize>) {
        (self.line.is_none(), &self.file, self.line)
    }

    /// The line for a finding in the trace with this name.
    pub fn of(finding: Finding, trace: &str) -> Self {
        let at = finding.at.as_ref();
        Self {
            dialogue: at.map(|at| at.dialogue.clone()),
            turn: at.map(|at| at.turn),
            file: trace.to_owned(),
            line: at.map(|at| at.line),
            rule: finding.rule.into(),
            field: finding.field.map(Into::into),
            found: finding.found,
            model: finding.declared,
            place: finding.place,
            also: finding.also.into_iter().map(Into::into).collect(),
            not_compared: finding.not_compared,
        }
    }
}
