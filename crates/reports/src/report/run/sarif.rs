//! Findings as SARIF 2.1.0, for viewers of static analysis.

use std::collections::BTreeMap;
use std::io::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::reported_finding::ReportedFinding;
use super::reported_place::ReportedPlace;
use super::run_report::RunReport;
use fsmsim_search::search::SearchQuestion;
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::terminal::Joined;

/// The URL of the JSON Schema.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Characters of a path that a URI must escape.
const OUT_OF_PATH: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Writes the findings of a run as one SARIF log.
pub(super) fn write_sarif(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &report.findings {
        numbers.entry(&finding.code).or_default();
    }
    numbers
        .values_mut()
        .zip(0..)
        .for_each(|(index, number)| *index = number);
    let rules: Vec<Value> = numbers.keys().map(|code| rule(code)).collect();
    let results = report
        .findings
        .iter()
        .map(|finding| result(report, finding, numbers.get(&*finding.code).copied()));
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "fsmsim",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Value>(),
        }],
    });
    writeln!(out, "{log:#}")
}

/// The description of a code, as in `fsmsim explain`.
fn rule(code: &str) -> Value {
    match code.parse::<Code>() {
        Ok(known) => json!({
            "id": code,
            "shortDescription": {"text": known.title()},
            "fullDescription": {"text": known.explanation()},
            "help": {"text": known.explanation()},
        }),
        Err(_) => match SearchQuestion::from_name(code) {
            Some(question) => json!({
                "id": code,
                "shortDescription": {"text": question.name().replace('_', " ")},
            }),
            None => json!({"id": code}),
        },
    }
}

fn result(report: &RunReport, finding: &ReportedFinding, rule: Option<usize>) -> Value {
    let lines = [&finding.title]
        .into_iter()
        .chain(&finding.notes)
        .chain(&finding.help)
        .joined("\n");
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), finding.code.as_str().into());
    result.insert("ruleIndex".to_owned(), rule.into());
    result.insert("level".to_owned(), finding.severity.as_str().into());
    result.insert("message".to_owned(), json!({"text": lines}));
    if let Some(at) = &finding.at {
        result.insert(
            "locations".to_owned(),
            json!([{"physicalLocation": location(report, at)}]),
        );
    }
    result.into()
}

fn location(report: &RunReport, at: &ReportedPlace) -> Value {
    let mut location = Map::new();
    let file = report.head.in_repository(&at.file);
    location.insert("artifactLocation".to_owned(), artifact(&file));
    if let Some(line) = at.line {
        let mut region = Map::new();
        region.insert("startLine".to_owned(), line.into());
        if let Some(column) = at.column {
            region.insert("startColumn".to_owned(), column.into());
        }
        location.insert("region".to_owned(), region.into());
    }
    location.into()
}

/// A file: relative to the repository, or absolute if it is outside.
fn artifact(file: &str) -> Value {
    let path = utf8_percent_encode(file, &OUT_OF_PATH).to_string();
    if file.starts_with('/') {
        return json!({"uri": format!("file://{path}")});
    }
    json!({"uri": path, "uriBaseId": "%SRCROOT%"})
}
