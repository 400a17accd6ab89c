//! What speaks against a recorded trace, as it is written.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use fsmsim_harness::verify::Finding;

/// What speaks against a recorded turn, or against all dialogues together, as JSON. Keys always come in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingLine {
    /// The dialogue; nothing where no single turn is at fault.
    pub dialogue: Option<String>,
    /// The number of the turn in the dialogue.
    pub turn: Option<u32>,
    /// What the trace is called.
    pub file: String,
    /// The line of the trace.
    pub line: Option<usize>,
    /// The rule that is broken.
    pub rule: Cow<'static, str>,
    /// The field in which a replay went another way.
    pub field: Option<Cow<'static, str>>,
    /// What the trace has.
    pub found: String,
    /// What the model declares, or did.
    pub model: String,
    /// Where in the model.
    pub place: Option<String>,
    /// Further fields in which a replay went another way.
    pub also: Vec<Cow<'static, str>>,
    /// Turns behind this one that were not compared.
    pub not_compared: usize,
}

impl FindingLine {
    /// Keeps so many of the first findings, by their lines; what is about no single line comes last.
    pub fn keep_first(first: &mut Vec<Self>, more: impl IntoIterator<Item = Self>, limit: usize) {
        for finding in more {
            let is_behind = first
                .last()
                .is_some_and(|last| last.place_in_file() <= finding.place_in_file());
            if first.len() < limit || !is_behind {
                first.push(finding);
                if !is_behind {
                    first.sort_by_key(Self::place_in_file);
                }
                first.truncate(limit);
            }
        }
    }

    fn place_in_file(&self) -> (bool, Option<usize>) {
        (self.line.is_none(), self.line)
    }

    /// What was found in the trace of this name.
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
