//! A turn that was played, for an assistant.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::mcp::author::bounded_parts::size_of;
use fsmsim_core::trace::{Deciders, Step, TurnReport};
use fsmsim_harness::rehearsal::Rehearsal;

/// A turn that was played, for an assistant.
#[derive(Serialize, JsonSchema)]
pub(super) struct AuthorTurn {
    turn: u32,
    line: String,
    #[serde(flatten)]
    brief: Option<BriefReport>,
    /// How many proposals lost.
    rejected: usize,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<TurnReport>,
    /// The turn in a few lines.
    #[serde(skip)]
    pub(super) text: String,
}

/// What of a report is part of every answer.
#[derive(Serialize, JsonSchema)]
struct BriefReport {
    state: Step,
    phase: Step,
    action: Option<String>,
    class: Option<String>,
    /// Only machines with a registry of classes have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_class: Option<Json>,
    replies: Vec<String>,
    carryover: Map<String, Json>,
    missing: Vec<Json>,
    r#final: Option<bool>,
    rule: Deciders,
    faults: Vec<Json>,
}

impl AuthorTurn {
    /// The turn of a moment.
    pub(super) fn of(rehearsal: &Rehearsal, moment: u32, with_record: bool) -> Self {
        let node = rehearsal.tree().moment(moment);
        let report = node.and_then(fsmsim_runtime::runtime::TurnNode::report);
        let line = node.map(|node| node.line.clone()).unwrap_or_default();
        let why = rehearsal.why_at(moment);
        let why = why.map(|why| why.sentence.clone()).unwrap_or_default();
        let turn = rehearsal.tree().turns_at(moment);
        Self {
            text: text(turn, &line, report.as_ref(), &why),
            turn,
            line,
            rejected: report.as_ref().map_or(0, |report| report.rejected.len()),
            brief: report.clone().map(BriefReport::from),
            why,
            record: report.filter(|_| with_record),
        }
    }

    /// Leaves the record out where it takes more than what is `left` for all turns; whether it did.
    pub(super) fn leave_record(&mut self, left: &mut usize) -> bool {
        let size = size_of(self);
        let is_left = size > *left && self.record.take().is_some();
        *left = left.saturating_sub(if is_left { size_of(self) } else { size });
        is_left
    }
}

impl From<TurnReport> for BriefReport {
    fn from(report: TurnReport) -> Self {
        Self {
            state: report.state,
            phase: report.phase,
            action: report.action,
            class: report.class,
            contract_class: report.contract_class,
            replies: report.replies,
            carryover: report.carryover,
            missing: report.missing,
            r#final: report.is_final,
            rule: report.rule,
            faults: report.faults,
        }
    }
}

fn text(turn: u32, line: &str, report: Option<&TurnReport>, why: &str) -> String {
    let mut text = format!("{turn}. {}", line.replace('\n', " ; "));
    let Some(report) = report else {
        return text + "\n   nothing came of it";
    };
    let [class, action] =
        [&report.class, &report.action].map(|name| name.as_deref().unwrap_or("?"));
    let _ = write!(
        text,
        "\n   {} ({class}), action {action}",
        report.way(" -> ")
    );
    if !why.is_empty() {
        let _ = write!(text, "\n   why: {why}");
    }
    for reply in &report.replies {
        let _ = write!(text, "\n   says: {reply}");
    }
    for fault in &report.faults {
        let _ = write!(text, "\n   fault: {fault}");
    }
    text
}
