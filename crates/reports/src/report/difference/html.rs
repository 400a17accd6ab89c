//! A comparison as an HTML page: the causes, and each dialogue that differs, with both paths in the diagram of its model.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::{category, cause};
use super::{DifferenceReport, words};
use crate::report::page::{DIFF_SCRIPT, Page, PageGraph};
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::diff::{ComparedStep, Difference};

pub(super) fn write(report: &DifferenceReport, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &report.comparison;
    let title = format!("{} → {}", report.a, report.b);
    let page = Page {
        title: &title,
        template: include_str!("../page/diff.html"),
        script: DIFF_SCRIPT,
        graphs: PageGraph::all(&comparison.models)?,
        ..Page::default()
    };
    let data = json!({
        "title": title,
        "a": report.a,
        "b": report.b,
        "counts": comparison.counts,
        "summary": words::summary(report),
        "about": words::about_causes(report),
        "causes": comparison.causes.iter().zip(1..).map(cause).collect::<Value>(),
        "dialogues": comparison.differences.iter().map(dialogue).collect::<Value>(),
    });
    out.write_all(page.render(&data)?.as_bytes())
}

fn dialogue(difference: &Difference) -> Value {
    let (category, divergence) = category(difference);
    let causes = difference.cause.iter().chain(&difference.more_causes);
    let steps = divergence.into_iter().flat_map(|divergence| {
        let (before, after) = (&divergence.before.1, &divergence.after.1);
        before.iter().chain([&divergence.step]).chain(after)
    });
    json!({
        "title": difference.dialogue,
        "model": difference.model,
        "category": category,
        "causes": causes.map(|cause| cause + 1).collect::<Value>(),
        "kind": divergence.map(|divergence| divergence.kind),
        "change": divergence.map(words::divergence),
        "reconvergence": divergence.map(words::reconvergence),
        "at": divergence.map(|divergence| divergence.before.1.len()),
        "steps": steps.map(step).collect::<Value>(),
    })
}

/// A step with the fields that differ. A turn that is the same in both dialogues is written once.
fn step(step: &ComparedStep) -> Value {
    let is_shared = step.turns.a.is_some() && step.fields.is_empty();
    let b = step.turns.b.as_ref().filter(|_| !is_shared);
    json!({
        "a": step.turns.a.as_ref().map(turn),
        "b": b.map(turn),
        "shared": is_shared && step.turns.b.is_some(),
        "fields": step.fields,
    })
}

/// The parts of a turn that the page shows. The fields that differ are complete.
fn turn(turn: &TurnReport) -> Value {
    json!({
        "turn": turn.turn,
        "input": turn.input,
        "state": turn.state,
        "path": turn.path,
        "class": turn.class,
        "contract_class": turn.contract_class,
        "action": turn.action,
        "replies": turn.replies,
        "why": turn.why,
        "rule": turn.rule,
    })
}
