//! A run as text, for readers who did not see the run.

use std::io::{self, Write};

use colored::Colorize;

use super::super::count_words::words;
use super::super::flakiness::FlakinessReport;
use super::cause_lines::{write_addresses, write_cause};
use super::failure_words::{details, reason};
use super::reported_cause::{ReportedCause, ReportedCauseKind};
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use fsmsim_harness::scenario::{ScenarioVerdict, SuiteCounts};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes one line per file with its failed scenarios below. The causes that several scenarios share follow, then the
/// summary and the list of failures.
pub(super) fn write_run_text(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let mut listed = Vec::new();
    for scenarios in report
        .scenarios
        .chunk_by(|one, other| one.file == other.file)
    {
        let mut counts = SuiteCounts::default();
        for scenario in scenarios {
            counts.count(scenario.verdict);
        }
        let file = scenarios
            .first()
            .map(|scenario| printable(&scenario.file))
            .unwrap_or_default();
        writeln!(out, "{file}: {}", words(&counts))?;
        for scenario in scenarios
            .iter()
            .filter(|scenario| !is_quiet(scenario.verdict))
        {
            let mark = scenario.verdict.name().replace('_', " ").to_uppercase();
            let title = printable(&scenario.id);
            if !scenario.verdict.is_well() {
                listed.push(format!("{mark} {title}"));
            }
            let mark = if scenario.verdict.is_well() {
                mark.yellow()
            } else {
                mark.red()
            };
            write_scenario(
                &format!(
                    "{} {} ({file}:{})",
                    mark.bold(),
                    title.bold(),
                    scenario.line
                ),
                scenario,
                out,
            )?;
        }
    }
    // A cause of a single scenario is shown in full above. Findings about the input are written separately.
    let says_more = |cause: &&ReportedCause| cause.scenarios.len() > 1 || cause.kind.is_of_model();
    let causes = report
        .causes
        .iter()
        .filter(|cause| cause.kind != ReportedCauseKind::Invalid);
    for (number, cause) in causes.filter(says_more).enumerate() {
        writeln!(out)?;
        write_cause(cause, number + 1, "scenario", out)?;
        write_addresses("", cause.scenarios.iter(), false, out)?;
    }
    let counts = report.counts();
    writeln!(
        out,
        "\n{} in {}",
        words(&counts),
        plural(counts.turns, "turn")
    )?;
    listed.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for (what, paths) in [("ORPHANED", &report.orphans), ("PENDING", &report.pending)] {
        paths
            .iter()
            .try_for_each(|path| writeln!(out, "{what} {}", printable(path)))?;
    }
    match &report.flakiness {
        Some(result) => FlakinessReport { result }.write_below_run(out),
        None => Ok(()),
    }
}

/// Whether a scenario is omitted below its file.
fn is_quiet(verdict: ScenarioVerdict) -> bool {
    matches!(verdict, ScenarioVerdict::Passed | ScenarioVerdict::Skipped)
}

fn write_scenario(title: &str, scenario: &ReportedScenario, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {title}")?;
    if scenario.failures.is_empty() {
        return writeln!(out, "    {}", reason(scenario));
    }
    details(scenario)
        .iter()
        .try_for_each(|line| writeln!(out, "    {line}"))
}
