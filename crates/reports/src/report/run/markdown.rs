//! A run as Markdown, for a comment on a pull request.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use strum::VariantArray;

use super::super::count_words::plain_words;
use super::failure_words::{details, reason};
use super::markdown_text::{MarkdownText, block, code};
use super::reported_cause::ReportedCause;
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use crate::limits::MAX_DIALOGUE_LINES;
use fsmsim_harness::coverage::{CoverageKind, CoverageReport};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::diagnostic::plural;

/// Writes the summary of the run, the failures by cause, and the coverage.
pub(super) fn write_markdown(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let mut text = MarkdownText::default();
    let counts = report.counts();
    let all = plural(counts.all(), "scenario");
    text.always(&format!(
        "### fsmsim: {all}, {} in {}\n",
        plain_words(&counts),
        plural(counts.turns, "turn")
    ));
    let waiting: Vec<_> = report.waiting().collect();
    if counts.is_well() && waiting.is_empty() {
        text.always("\nNo action is required.\n");
    }
    if let Some(coverage) = &report.coverage {
        // The coverage is short and important, so it comes before the parts that might be cut.
        text.section(&shares(coverage));
    }
    let by_id: BTreeMap<&str, &ReportedScenario> = report
        .scenarios
        .iter()
        .map(|scenario| (scenario.id.as_str(), scenario))
        .collect();
    let is_failed = |scenario: &&ReportedScenario| {
        matches!(
            scenario.verdict,
            ScenarioVerdict::Failed | ScenarioVerdict::UnexpectedPass
        )
    };
    for cause in &report.causes {
        let scenarios = cause
            .scenarios
            .iter()
            .filter_map(|id| by_id.get(id.as_str()).copied());
        write_cause(
            cause,
            &scenarios.filter(is_failed).collect::<Vec<_>>(),
            &mut text,
        );
    }
    for verdict in [
        ScenarioVerdict::Invalid,
        ScenarioVerdict::Unavailable,
        ScenarioVerdict::Inconclusive,
    ] {
        write_list(report, verdict, &mut text);
    }
    if !waiting.is_empty() {
        let lines = waiting
            .iter()
            .map(|(what, path)| format!("- {what}: {}\n", code(path)));
        text.folded("snapshots to review", lines);
    }
    write_list(report, ScenarioVerdict::ExpectedFailure, &mut text);
    write_list(report, ScenarioVerdict::Skipped, &mut text);
    out.write_all(text.finish().as_bytes())
}

/// Writes a cause: one scenario in full, the others as a list.
fn write_cause(cause: &ReportedCause, scenarios: &[&ReportedScenario], text: &mut MarkdownText) {
    let Some((first, others)) = scenarios.split_first() else {
        return;
    };
    let count = scenarios.len();
    let title = code(&cause.title);
    let verdict = first.verdict.name().replace('_', " ");
    let mut shown = format!("\n#### {count} {verdict}: {title}\n\n");
    let place = |what: &str, at: &Option<ReportedPlace>| {
        at.as_ref()
            .map(|at| format!("{what} {}", code(&at.to_string())))
    };
    let was_at = cause
        .was_at
        .clone()
        .filter(|was| Some(was) != cause.at.as_ref());
    let places: Vec<String> = [place("at", &cause.at), place("previously at", &was_at)]
        .into_iter()
        .flatten()
        .collect();
    if !places.is_empty() {
        let _ = write!(shown, "{}\n\n", places.join(", "));
    }
    if !cause.edit.is_empty() {
        let _ = writeln!(shown, "{}", block(&cause.edit));
    }
    let _ = write!(shown, "{}\n\n", name(first));
    let lines = first.conversation();
    let omitted = lines.len().saturating_sub(MAX_DIALOGUE_LINES);
    let more = (omitted > 0).then(|| format!("… {}", plural(omitted, "line")));
    let lines = more.into_iter().chain(lines.into_iter().skip(omitted));
    let lines: Vec<String> = details(first)
        .into_iter()
        .chain([String::new()])
        .chain(lines)
        .collect();
    shown += &block(&lines);
    if text.section(&shown) && !others.is_empty() {
        let lines = others
            .iter()
            .map(|scenario| format!("- {}\n", name(scenario)));
        text.folded(&format!("{} more", others.len()), lines);
    }
}

/// Writes the scenarios with a verdict as a collapsed list.
fn write_list(report: &RunReport, verdict: ScenarioVerdict, text: &mut MarkdownText) {
    let scenarios: Vec<_> = report
        .scenarios
        .iter()
        .filter(|scenario| scenario.verdict == verdict)
        .collect();
    if !scenarios.is_empty() {
        let title = match verdict {
            ScenarioVerdict::ExpectedFailure => plural(scenarios.len(), "expected failure"),
            verdict => format!("{} {}", scenarios.len(), verdict.name()),
        };
        let lines = scenarios
            .iter()
            .map(|scenario| format!("- {}: {}\n", name(scenario), code(&reason(scenario))));
        text.folded(&title, lines);
    }
}

/// The ID and the line of a scenario.
fn name(scenario: &ReportedScenario) -> String {
    format!("{} (line {})", code(&scenario.id), scenario.line)
}

/// The coverage of each model, as a table with a column for each kind that any model has.
fn shares(coverage: &CoverageReport) -> String {
    let has = |kind: &&CoverageKind| {
        coverage
            .models
            .values()
            .any(|model| model.share(**kind).all > 0)
    };
    let kinds: Vec<CoverageKind> = CoverageKind::VARIANTS.iter().filter(has).copied().collect();
    let head: String = kinds
        .iter()
        .flat_map(|kind| [" ", kind.name(), " |"])
        .collect();
    let mut table = format!(
        "\n| covered |{head}\n| --- |{}\n",
        " ---: |".repeat(kinds.len())
    );
    for (path, model) in &coverage.models {
        // A bar would end the cell, even in code.
        let _ = write!(table, "| {} |", code(path).replace('|', "\\|"));
        for share in kinds.iter().map(|kind| model.share(*kind)) {
            if share.all > 0 {
                let _ = write!(table, " {}%", share.percent());
            }
            table.push_str(" |");
        }
        table.push('\n');
    }
    table
}
