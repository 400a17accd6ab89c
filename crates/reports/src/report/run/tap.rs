//! A run in the Test Anything Protocol, version 14.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::failure_words::{details, reason};
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::printable;

/// Writes one line per scenario, with its details as YAML below.
pub(super) fn write_tap(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let waiting: Vec<_> = report.waiting().collect();
    let count = report.scenarios.len() + waiting.len();
    writeln!(out, "TAP version 14")?;
    let none = if count == 0 { " # no scenarios" } else { "" };
    writeln!(out, "1..{count}{none}")?;
    for (number, scenario) in (1..).zip(&report.scenarios) {
        let is_ok = matches!(
            scenario.verdict,
            ScenarioVerdict::Passed | ScenarioVerdict::Skipped
        );
        let mark = if is_ok { "ok" } else { "not ok" };
        let directive = match scenario.verdict {
            ScenarioVerdict::Skipped => format!(" # SKIP {}", escaped(&reason(scenario))),
            ScenarioVerdict::ExpectedFailure => format!(" # TODO {}", escaped(&reason(scenario))),
            _ => String::new(),
        };
        writeln!(
            out,
            "{mark} {number} - {}{}",
            escaped(&scenario.id),
            directive.trim_end()
        )?;
        if !is_ok {
            write_diagnostics(&diagnostics(report, scenario), out)?;
        }
    }
    for (number, (what, path)) in (report.scenarios.len() + 1..).zip(waiting) {
        writeln!(
            out,
            "not ok {number} - the snapshot {} is {what}",
            escaped(path)
        )?;
    }
    Ok(())
}

/// The details of a scenario that did not pass.
fn diagnostics(report: &RunReport, scenario: &ReportedScenario) -> Map<String, Value> {
    let mut known = Map::new();
    let mut say = |key: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            known.insert(key.to_owned(), value);
        }
    };
    say("verdict", scenario.verdict.name().into());
    say("message", reason(scenario).into());
    say("at", json!({"file": scenario.file, "line": scenario.line}));
    say("model", scenario.model.clone().into());
    say("profile", scenario.profile.clone().into());
    say("tags", scenario.tags.clone().into());
    if let Some(finding) = report.finding_of(scenario) {
        say("code", finding.code.clone().into());
        say(
            "found_at",
            finding.at.as_ref().map(ToString::to_string).into(),
        );
        say("help", finding.help.clone().into());
    }
    say("failures", details(scenario).into());
    say("dialogue", scenario.conversation().into());
    known
}

/// Writes a YAML block below a line.
fn write_diagnostics(known: &Map<String, Value>, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_yaml::to_string(known).map_err(io::Error::other)?;
    writeln!(out, "  ---")?;
    text.lines()
        .try_for_each(|line| writeln!(out, "  {line}"))?;
    writeln!(out, "  ...")
}

/// A text on one line without directives.
fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('#', "\\#")
}
