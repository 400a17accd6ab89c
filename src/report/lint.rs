//! What a lint of several models came to.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;

use super::usage::counted;
use crate::diagnostic::{Code, Diagnostic, Severity, SourceMap};

/// The findings of several models, each told once.
#[derive(Debug, Default)]
pub struct LintReport {
    models: u64,
    errors: u64,
    warnings: u64,
    /// Findings that loading only counted.
    dropped: u64,
    /// What was told, by code, title and place: what several models share is told with the first.
    told: BTreeSet<(Code, String, String)>,
}

/// A finding as a line of JSON. What it does not have is `null`.
#[derive(Serialize)]
struct JsonFinding<'a> {
    model: &'a str,
    code: &'a str,
    severity: &'a str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    title: &'a str,
    label: Option<&'a str>,
    help: Option<&'a str>,
}

impl LintReport {
    /// Adds a model, and gives back those of its findings that are new. `dropped` is the number of further findings that
    /// nobody kept.
    pub fn push(
        &mut self,
        findings: Vec<Diagnostic>,
        dropped: usize,
        sources: &SourceMap,
    ) -> Vec<Diagnostic> {
        self.models += 1;
        self.dropped += dropped as u64;
        let mut fresh = Vec::with_capacity(findings.len());
        for finding in findings {
            let place = match finding.labels.first() {
                Some(label) => sources.place(label.span).to_string(),
                None => finding.path.clone().unwrap_or_default(),
            };
            if self.told.insert((finding.code, finding.title.clone(), place)) {
                match finding.severity {
                    Severity::Error => self.errors += 1,
                    Severity::Warning => self.warnings += 1,
                }
                fresh.push(finding);
            }
        }
        fresh
    }

    /// Whether there was an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether there was a warning.
    #[must_use]
    pub fn has_warnings(&self) -> bool {
        self.warnings > 0
    }

    /// The closing line.
    #[must_use]
    pub fn closing(&self) -> String {
        let count = |number, one: &str, many: &str| match number {
            0 => format!("no {many}"),
            number => counted(number, one, many),
        };
        let models = count(self.models, "model", "models");
        let errors = count(self.errors, "error", "errors");
        let warnings = count(self.warnings, "warning", "warnings");
        let dropped = match self.dropped {
            0 => String::new(),
            more => format!(", and {more} more that are not shown"),
        };
        format!("{models}: {errors}, {warnings}{dropped}")
    }
}

/// Writes findings of a model as lines of JSON, with their keys in this order: model, code, severity, file, line, column,
/// title, label, help.
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
        let line = JsonFinding {
            model,
            code: finding.code.as_str(),
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            file: place.as_ref().map(|place| &*place.path).or(finding.path.as_deref()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            title: &finding.title,
            label: label.map(|label| &*label.text).filter(|text| !text.is_empty()),
            help: finding.help.as_deref(),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
