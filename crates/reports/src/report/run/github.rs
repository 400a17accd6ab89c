//! A run as annotations of GitHub workflows: commands in the output of a step.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::failure_words::{diff, headline, reason};
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use crate::limits::{MAX_ANNOTATIONS, MAX_NAMED_SCENARIOS};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_syntax::terminal::{Joined, printable};

struct Annotation {
    level: &'static str,
    at: Option<ReportedPlace>,
    title: String,
    message: String,
}

/// Writes an error for each failed scenario at its line, and a notice at each line of a model that decided a failure.
pub(super) fn write_github(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let errors: Vec<Annotation> = report
        .scenarios
        .iter()
        .filter_map(|scenario| scenario_annotation(report, scenario))
        .chain(snapshot_annotations(report))
        .collect();
    for (annotations, what) in [(errors, "problems"), (deciding(report), "deciding lines")] {
        annotations
            .iter()
            .take(MAX_ANNOTATIONS)
            .try_for_each(|annotation| write_annotation(annotation, out))?;
        let more = annotations.len().saturating_sub(MAX_ANNOTATIONS);
        if more > 0 {
            let level = annotations
                .first()
                .map_or("notice", |annotation| annotation.level);
            let title = "fsmsim".to_owned();
            let message = format!("{more} more {what} without an annotation");
            write_annotation(
                &Annotation {
                    level,
                    at: None,
                    title,
                    message,
                },
                out,
            )?;
        }
    }
    Ok(())
}

/// The annotation at the line of a scenario.
fn scenario_annotation(report: &RunReport, scenario: &ReportedScenario) -> Option<Annotation> {
    let level = match scenario.verdict {
        ScenarioVerdict::Passed | ScenarioVerdict::Skipped | ScenarioVerdict::ExpectedFailure => {
            return None;
        }
        ScenarioVerdict::Failed | ScenarioVerdict::UnexpectedPass | ScenarioVerdict::Invalid => {
            "error"
        }
        ScenarioVerdict::Unavailable | ScenarioVerdict::Inconclusive => "warning",
    };
    let title = format!("{}: {}", scenario.verdict.name(), scenario.id);
    let own = ReportedPlace {
        file: scenario.file.clone(),
        line: Some(scenario.line),
        column: None,
    };
    let finding = report.finding_of(scenario);
    let at = finding.and_then(|finding| finding.at.clone());
    let help = finding
        .and_then(|finding| finding.help.as_deref())
        .map(|help| format!("\n{}", printable(help)));
    let message = match &*scenario.failures {
        [] => reason(scenario),
        failures => {
            let lines = |failure| [headline(failure)].into_iter().chain(diff(failure));
            failures.iter().flat_map(lines).joined("\n")
        }
    };
    Some(Annotation {
        level,
        at: Some(at.unwrap_or(own)),
        title,
        message: message + &help.unwrap_or_default(),
    })
}

/// The annotations of snapshots that fail the run.
fn snapshot_annotations(report: &RunReport) -> impl Iterator<Item = Annotation> {
    report.waiting().map(|(what, path)| Annotation {
        level: "error",
        at: Some(ReportedPlace {
            file: path.to_owned(),
            line: None,
            column: None,
        }),
        title: "snapshot".to_owned(),
        message: format!("the snapshot is {what}"),
    })
}

/// The annotations at the lines that decided failures.
fn deciding(report: &RunReport) -> Vec<Annotation> {
    let mut decided: BTreeMap<&ReportedPlace, Vec<&ReportedScenario>> = BTreeMap::new();
    for scenario in report
        .scenarios
        .iter()
        .filter(|scenario| scenario.verdict == ScenarioVerdict::Failed)
    {
        let failure = scenario
            .failures
            .iter()
            .find(|failure| failure.known.is_none());
        if let Some(at) = failure.and_then(|failure| failure.by.as_ref()?.at.as_ref()) {
            decided.entry(at).or_default().push(scenario);
        }
    }
    let annotation = |(at, scenarios): (&ReportedPlace, Vec<&ReportedScenario>)| {
        let mut lines: Vec<String> = scenarios
            .iter()
            .take(MAX_NAMED_SCENARIOS)
            .map(|scenario| printable(&scenario.id))
            .collect();
        let more = scenarios.len().saturating_sub(MAX_NAMED_SCENARIOS);
        lines.extend((more > 0).then(|| format!("and {more} more")));
        let title = "decided a failed turn".to_owned();
        Annotation {
            level: "notice",
            at: Some(at.clone()),
            title,
            message: lines.join("\n"),
        }
    };
    decided.into_iter().map(annotation).collect()
}

fn write_annotation(annotation: &Annotation, out: &mut dyn Write) -> io::Result<()> {
    let Annotation {
        level,
        at,
        title,
        message,
    } = annotation;
    write!(out, "::{level} ")?;
    if let Some(at) = at {
        write!(out, "file={},", property(&at.file))?;
        for (name, number) in [("line", at.line), ("col", at.column)] {
            if let Some(number) = number {
                write!(out, "{name}={number},")?;
            }
        }
    }
    writeln!(out, "title={}::{}", property(title), data(message))
}

/// Escapes a message for the runner, so that it cannot contain commands.
fn data(text: &str) -> String {
    text.lines()
        .map(printable)
        .joined("\n")
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property for the runner.
fn property(text: &str) -> String {
    data(&printable(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_properties_in_text_are_escaped() {
        assert_eq!(
            data("50%\n::error::x\r\n::set-env"),
            "50%25%0A::error::x%0A::set-env"
        );
        assert_eq!(
            property("a,line=1::\n::b%0A"),
            "a%2Cline=1%3A%3A %3A%3Ab%250A"
        );
    }
}
