//! A run as Markdown, for a comment on a pull request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use strum::VariantArray;

use super::super::count_words::plain_words;
use super::failure_words::{details, reason};
use super::markdown_text::{MarkdownText, block, code};
use super::reported_cause::ReportedCause;
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use super::run_comparison::RunComparison;
use super::run_report::RunReport;
use crate::limits::MAX_DIALOGUE_LINES;
use fsmsim_harness::coverage::{CoverageKind, CoverageReport};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::diagnostic::plural;

/// Writes the summary of the run, the failures by cause, the coverage, and what differs from an earlier revision.
pub(super) fn write_markdown(
    report: &RunReport,
    comparison: Option<&RunComparison>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = MarkdownText::default();
    let counts = report.counts();
    let all = plural(counts.all(), report.head.kind.noun());
    let project = match &*report.head.project {
        "" => String::new(),
        project => format!(" {}", code(project)),
    };
    // A workflow finds its earlier comment by the first line.
    text.always(&format!(
        "### fsmsim{project}: {all}, {} in {}\n",
        plain_words(&counts),
        plural(counts.turns, "turn")
    ));
    let waiting: Vec<_> = report.waiting().collect();
    if counts.is_well() && waiting.is_empty() {
        text.always("\nNo action is required.\n");
    }
    if let Some(coverage) = &report.coverage {
        // The coverage is short and important, so it comes before the parts that might be cut.
        let before = comparison.and_then(|comparison| comparison.coverage.as_ref());
        text.section(&shares(coverage, before));
    }
    if let Some(comparison) = comparison {
        text.section(&changed_verdicts(comparison));
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
            comparison,
            &mut text,
        );
    }
    if let Some(comparison) = comparison {
        write_changed(report, comparison, &mut text);
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
fn write_cause(
    cause: &ReportedCause,
    scenarios: &[&ReportedScenario],
    comparison: Option<&RunComparison>,
    text: &mut MarkdownText,
) {
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
    let lines = comparison
        .and_then(|comparison| comparison.difference(&first.id))
        .unwrap_or_else(|| first.conversation());
    let lines: Vec<String> = details(first)
        .into_iter()
        .chain([String::new()])
        .chain(last_lines(lines))
        .collect();
    shown += &block(&lines);
    if text.section(&shown) && !others.is_empty() {
        let lines = others
            .iter()
            .map(|scenario| format!("- {}\n", name(scenario)));
        text.folded(&format!("{} more", others.len()), lines);
    }
}

/// The last lines of a dialogue, with the number of the others.
fn last_lines(lines: Vec<String>) -> impl Iterator<Item = String> {
    let omitted = lines.len().saturating_sub(MAX_DIALOGUE_LINES);
    let more = (omitted > 0).then(|| format!("… {}", plural(omitted, "line")));
    more.into_iter().chain(lines.into_iter().skip(omitted))
}

/// The verdicts that differ from those at the earlier revision.
fn changed_verdicts(comparison: &RunComparison) -> String {
    let changes = comparison.verdicts();
    let title = format!("\n#### Compared with {}\n\n", code(&comparison.revision));
    if changes.is_empty() {
        return title + "All verdicts are equal.\n";
    }
    let rows = changes.iter().map(|((before, now), count)| {
        let before = before.map_or("new", ScenarioVerdict::name);
        format!("| {before} | {} | {count} |\n", now.name())
    });
    let head = "| before | now | scenarios |\n| --- | --- | ---: |\n";
    [title, head.to_owned()].into_iter().chain(rows).collect()
}

/// Writes the dialogues that differ from those at the earlier revision, except the examples of causes.
fn write_changed(report: &RunReport, comparison: &RunComparison, text: &mut MarkdownText) {
    let examples: BTreeSet<&str> = report
        .causes
        .iter()
        .filter_map(|cause| Some(cause.scenarios.first()?.as_str()))
        .collect();
    let changed: Vec<String> = comparison
        .ids()
        .filter(|id| !examples.contains(id))
        .filter_map(|id| Some((id, comparison.difference(id)?)))
        .map(|(id, lines)| {
            let lines: Vec<String> = last_lines(lines).collect();
            format!("{}\n\n{}\n", code(id), block(&lines))
        })
        .collect();
    if !changed.is_empty() {
        let what = if examples.is_empty() {
            "dialogue"
        } else {
            "more dialogue"
        };
        let title = format!("{} changed", plural(changed.len(), what));
        text.folded(&title, changed.into_iter());
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

/// The coverage of each model, as a table with a column for each kind that any model has. A share that changed has its
/// earlier value, too.
fn shares(coverage: &CoverageReport, before: Option<&CoverageReport>) -> String {
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
        for kind in &kinds {
            let share = model.share(*kind);
            let former = before.and_then(|before| before.models.get(path));
            let former = former.map(|former| former.share(*kind));
            match former.filter(|former| former.all > 0 && former.percent() != share.percent()) {
                _ if share.all == 0 => {}
                Some(former) => {
                    let _ = write!(table, " {}% → {}%", former.percent(), share.percent());
                }
                None => {
                    let _ = write!(table, " {}%", share.percent());
                }
            }
            table.push_str(" |");
        }
        table.push('\n');
    }
    table
}
