//! Problems as a code quality report, which GitLab shows in merge requests.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::annotation::Annotation;
use super::run_report::RunReport;
use fsmsim_syntax::terminal::Joined;

/// Writes the problems of a run as a list of issues.
pub(super) fn write_gitlab(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let problems = Annotation::problems(report);
    let mut known: BTreeMap<[String; 3], usize> = BTreeMap::new();
    let issues = problems.into_iter().map(|problem| {
        let title = problem.title();
        // GitLab drops issues without a file.
        let at = problem
            .at
            .unwrap_or_else(|| "fsmsim.toml".to_owned().into());
        let path = report.head.in_repository(&at.file);
        // The lines of a file move, so the fingerprint does not contain the line.
        let key = [problem.kind.clone(), path.clone(), problem.subject];
        let text = key.join("\n");
        let number = known.entry(key).or_default();
        *number += 1;
        let fingerprint = xxh3_128(format!("{text}\n{number}").as_bytes());
        let lines = problem.message.lines().filter(|line| !line.is_empty());
        let description = [&*title].into_iter().chain(lines).joined("; ");
        json!({
            "description": description,
            "check_name": problem.kind,
            "fingerprint": format!("{fingerprint:032x}"),
            "severity": match problem.level {
                "error" => "major",
                "warning" => "minor",
                _ => "info",
            },
            "location": {"path": path, "lines": {"begin": at.line.unwrap_or(1)}},
        })
    });
    writeln!(out, "{:#}", issues.collect::<Value>())
}
