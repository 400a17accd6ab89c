//! A turn in the result of the `play` tool.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::mcp::author::bounded_parts::size_of;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_runtime::runtime::TurnNode;

/// A turn in the result of the `play` tool.
#[derive(Serialize)]
pub(super) struct AuthorTurn {
    turn: u32,
    line: String,
    #[serde(flatten)]
    brief: Map<String, Json>,
    /// The number of rejected proposals.
    rejected: usize,
    why: String,
    /// How the utterance was recognized.
    #[serde(skip_serializing_if = "Option::is_none")]
    recognized: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<TurnReport>,
    #[serde(skip)]
    pub text: String,
}

/// The fields of a turn report that every result includes.
const BRIEF: [&str; 11] = [
    "state",
    "phase",
    "action",
    "class",
    CONTRACT_CLASS,
    "replies",
    "carryover",
    "missing",
    "final",
    "rule",
    "violations",
];
/// The field that only models with declared classes have.
const CONTRACT_CLASS: &str = "contract_class";

impl AuthorTurn {
    /// The turn at a moment of the dialogue.
    pub(super) fn of(interactive: &InteractiveDialogue, moment: u32, with_record: bool) -> Self {
        let node = interactive.tree().moment(moment);
        let report = node.and_then(TurnNode::report);
        let line = node.map(|node| node.line.clone()).unwrap_or_default();
        let why = interactive
            .why_at(moment)
            .map(|why| why.sentence.to_string())
            .unwrap_or_default();
        let turn = interactive.tree().turns_at(moment);
        Self {
            text: text(turn, &line, report.as_ref(), &why),
            turn,
            line,
            rejected: report.as_ref().map_or(0, |report| report.rejected.len()),
            brief: report.as_ref().map(brief).unwrap_or_default(),
            why,
            recognized: report.as_ref().and_then(TurnReport::interpretation),
            record: report.filter(|_| with_record),
        }
    }

    /// Removes the record if the turn exceeds the remaining size `left` for all turns. Returns whether it did.
    pub(super) fn leave_record(&mut self, left: &mut usize) -> bool {
        let size = size_of(self);
        let is_left = size > *left && self.record.take().is_some();
        *left = left.saturating_sub(if is_left { size_of(self) } else { size });
        is_left
    }
}

fn brief(report: &TurnReport) -> Map<String, Json> {
    let report = json!(report);
    let parts = BRIEF
        .iter()
        .filter_map(|key| Some((*key, report.get(key)?)));
    parts
        .filter(|(key, value)| *key != CONTRACT_CLASS || !value.is_null())
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect()
}

fn text(turn: u32, line: &str, report: Option<&TurnReport>, why: &str) -> String {
    let mut text = format!("{turn}. {}", line.replace('\n', " ; "));
    let Some(report) = report else {
        return text + "\n   no turn ran";
    };
    let [class, action] =
        [&report.class, &report.action].map(|name| name.as_deref().unwrap_or("?"));
    let _ = write!(
        text,
        "\n   {} ({class}), action {action}",
        report.way(" -> ")
    );
    if let Some(reading) = report.interpretation() {
        let _ = write!(text, "\n   recognized as {reading}");
    }
    if !why.is_empty() {
        let _ = write!(text, "\n   why: {why}");
    }
    for reply in &report.replies {
        let _ = write!(text, "\n   reply: {reply}");
    }
    for violation in &report.violations {
        let _ = write!(text, "\n   violation: {violation}");
    }
    text
}
