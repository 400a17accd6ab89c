//! The HTML page of mutants: the scores of each model, and the mutants that no scenario notices.

use std::io;

use minijinja::{Value, context};

use super::mutation_lines::{notes, open, reason, titled};
use crate::report::page::Page;
use fsmsim_harness::coverage::Share;
use fsmsim_harness::mutate::{MutantResult, MutantStatus, MutatedModel};
use fsmsim_syntax::terminal::printable;

/// Renders the page.
pub(super) fn render(
    title: &str,
    models: &[MutatedModel],
    from_root: &dyn Fn(&str) -> String,
) -> io::Result<String> {
    let models = models.iter().map(|one| model(one, from_root));
    let page = Page {
        title,
        template: include_str!("../page/mutate.html"),
        content: context! { models => models.collect::<Value>() },
        ..Page::default()
    };
    page.render(&())
}

fn model(model: &MutatedModel, from_root: &dyn Fn(&str) -> String) -> Value {
    let counts = model.counts();
    let mutant = |result: &MutantResult| {
        context! {
            status => result.status.name(),
            verdict => verdict(result.status),
            title => printable(&titled(result, from_root)),
            reason => printable(reason(result)),
            scenario => result.scenario.as_deref().map(printable_lines),
            killer => result.killed_by.as_deref().map(printable),
        }
    };
    let others = model
        .mutants
        .iter()
        .filter(|result| !result.status.is_open());
    context! {
        name => printable(&model.model),
        extent => counts.to_string(),
        notes => notes(model).into_iter().map(|note| printable(&note)).collect::<Value>(),
        scores => [score(counts.score_of_expectations()), score(counts.score())],
        open => open(model).map(mutant).collect::<Value>(),
        others => others.map(mutant).collect::<Value>(),
    }
}

fn score(share: Share) -> Value {
    let percent = share.percent();
    context! { percent, width => percent * 10, of => format!("{}/{}", share.covered, share.all) }
}

fn printable_lines(text: &str) -> String {
    let lines = text.lines().map(|line| printable(line) + "\n");
    lines.collect()
}

/// The class of the mark of a status.
fn verdict(status: MutantStatus) -> &'static str {
    match status {
        MutantStatus::Killed => "passed",
        MutantStatus::Survived | MutantStatus::NoCoverage => "failed",
        MutantStatus::CompileError => "invalid",
        MutantStatus::Ignored => "skipped",
    }
}
