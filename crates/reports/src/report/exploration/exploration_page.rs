//! The HTML page of explorations: the problems with their dialogues, the other answers, and the size of each search.

use std::io;

use minijinja::{Value, context};

use super::exploration_report::{ExplorationReport, verdict_of};
use crate::report::graph::overview_svg;
use crate::report::page::Page;
use fsmsim_core::trace::turn_line;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_search::search::{SearchFinding, WitnessStep};
use fsmsim_syntax::terminal::printable;

/// Renders the page.
pub(super) fn render(title: &str, models: &[ExplorationReport]) -> io::Result<String> {
    let models: Vec<Value> = models.iter().map(model).collect::<io::Result<_>>()?;
    let page = Page {
        title,
        template: include_str!("../page/explore.html"),
        content: context! { models },
        ..Page::default()
    };
    page.render(&())
}

fn model(report: &ExplorationReport) -> io::Result<Value> {
    let result = &report.result;
    let (problems, others): (Vec<_>, Vec<_>) = result
        .findings
        .iter()
        .partition(|finding| verdict_of(finding) == ScenarioVerdict::Failed);
    let others = others.into_iter().map(|finding| {
        context! { verdict => verdict_of(finding).name(), text => printable(&report.titled(finding)) }
    });
    let parts = result.sizes.iter().map(|part| {
        context! { name => printable(&part.name), values => part.values, factor => format!("{:.1}", part.factor) }
    });
    let loose = result.loose.iter().map(|reason| printable(reason));
    Ok(context! {
        name => printable(&report.model),
        extent => report.extent(),
        problems => problems.into_iter().map(|finding| problem(report, finding)).collect::<Value>(),
        others => others.collect::<Value>(),
        parts => parts.collect::<Value>(),
        advice => report.size_lines().iter().map(|line| printable(line)).collect::<Value>(),
        loose => loose.collect::<Value>(),
        svg => overview_svg(&MachineGraph::of(&report.machine))?,
    })
}

/// A problem with its dialogue as a conversation.
fn problem(report: &ExplorationReport, finding: &SearchFinding) -> Value {
    let states = &report.machine.names.states;
    let mut from = states.name(report.machine.initial);
    let steps = finding.witness.iter().flat_map(|witness| &witness.steps);
    let turn = |(number, step): (usize, &WitnessStep)| {
        let to = states.name(step.to);
        let way = format!("{from} → {to}");
        from = to;
        context! {
            number => number + 1,
            repeats => finding.repeats == Some(number),
            say => report.words(step).map(printable),
            input => printable(&turn_line(&step.turn, &report.machine)),
            way => printable(&way),
        }
    };
    context! {
        title => printable(&report.titled(finding)),
        is_played => finding.is_played,
        turns => steps.enumerate().map(turn).collect::<Value>(),
    }
}
