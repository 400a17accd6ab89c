//! The results of a lint of several models.

use std::io::{self, Write};

use serde_json::json;

use fsmsim_harness::lint::LintReport;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::diagnostic::{Diagnostic, SourceMap};
use fsmsim_syntax::document::{DocumentReading, ReadingKind};
use fsmsim_syntax::terminal::printable;

/// The summary of a lint, in one line.
pub fn lint_summary(report: &LintReport) -> String {
    let count = |number, noun: &str| match number {
        0 => format!("no {noun}s"),
        number => plural(number, noun),
    };
    let models = count(report.models, "model");
    let errors = count(report.errors, "error");
    let warnings = count(report.warnings, "warning");
    let dropped = match report.dropped {
        0 => String::new(),
        more => format!(", and {more} more not shown"),
    };
    format!("{models}: {errors}, {warnings}{dropped}")
}

/// Writes the findings of a model as JSON Lines. The order of the keys is fixed: model, code, severity, file, line,
/// column, title, label, help. Missing values are `null`.
pub fn write_findings<W: Write>(
    model: &str,
    findings: &[Diagnostic],
    sources: &SourceMap,
    out: &mut W,
) -> io::Result<()> {
    for finding in findings {
        let label = finding.labels.first();
        let place = label.map(|label| sources.place(label.span));
        let severity: &str = finding.severity.into();
        let line = json!({
            "model": model,
            "code": finding.code.as_str(),
            "severity": severity,
            "file": place.as_ref().map(|place| &place.path).or(finding.path.as_ref()),
            "line": place.as_ref().map(|place| place.line),
            "column": place.as_ref().map(|place| place.column),
            "title": finding.title,
            "label": label.map(|label| &label.text).filter(|text| !text.is_empty()),
            "help": finding.help,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Writes the elements that were read from a document, with their lines, and the ignored ones.
pub fn write_reading<W: Write>(
    model: &str,
    reading: &DocumentReading,
    sources: &SourceMap,
    out: &mut W,
) -> io::Result<()> {
    writeln!(out, "{}", printable(model))?;
    for (kind, heading) in [
        (ReadingKind::Source, "source of the transitions"),
        (ReadingKind::Initial, "initial"),
        (ReadingKind::Final, "final"),
        (ReadingKind::State, "states"),
        (ReadingKind::Move, "transitions"),
        (ReadingKind::Left, "ignored"),
    ] {
        let items = reading.of(kind);
        if items.is_empty() {
            continue;
        }
        writeln!(out, "{heading}:")?;
        for item in items {
            let line = sources.place(item.span).line;
            let text = printable(&item.text);
            match &*item.why {
                "" => writeln!(out, "{line:>6}  {text}")?,
                why => writeln!(out, "{line:>6}  {text}: {}", printable(why))?,
            }
        }
    }
    Ok(())
}
