//! What a lint of several models came to.

use std::io::{self, Write};

use serde_json::json;

use super::plural::plural;
use crate::diagnostic::{Diagnostic, Severity, SourceMap};
use crate::lint::LintReport;

/// What a lint came to, in a line.
pub fn lint_summary(report: &LintReport) -> String {
    let count = |number, noun: &str| match number {
        0 => format!("no {noun}s"),
        number => plural(number, noun),
    };
    let (models, errors) = (count(report.models, "model"), count(report.errors, "error"));
    let warnings = count(report.warnings, "warning");
    let dropped = match report.dropped {
        0 => String::new(),
        more => format!(", and {more} more that are not shown"),
    };
    format!("{models}: {errors}, {warnings}{dropped}")
}

/// Writes findings of a model as lines of JSON, with their keys in this order: model, code, severity, file, line, column,
/// title, label, help. What a finding does not have is `null`.
///
/// # Errors
/// Those of writing.
pub fn write_findings<W: Write>(
    model: &str,
    findings: &[Diagnostic],
    sources: &SourceMap,
    out: &mut W,
) -> io::Result<()> {
    for finding in findings {
        let label = finding.labels.first();
        let place = label.map(|label| sources.place(label.span));
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
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
