//! The explorations of a run, in any format.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::exploration_page;
use super::exploration_report::{ExplorationReport, verdict_of};
use crate::report::report_kind::ReportKind;
use crate::report::run::{MarkdownText, RunPage, RunReport, RunWriter, block, code};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_search::search::SearchFinding;
use fsmsim_syntax::diagnostic::plural;
use serde_json::{Value as Json, json};

/// The explorations of a run.
#[derive(Debug)]
pub struct ExplorationRun {
    pub models: Vec<ExplorationReport>,
    /// The answers as findings and test cases, for formats that all commands share.
    shared: RunReport,
}

impl ExplorationRun {
    /// The kinds of `--report`.
    pub const KINDS: [ReportKind; 7] = [
        ReportKind::Json,
        ReportKind::Html,
        ReportKind::Junit,
        ReportKind::Github,
        ReportKind::Gitlab,
        ReportKind::Markdown,
        ReportKind::Sarif,
    ];

    /// The explorations of these models. `shared` has the head of the report and the findings about the input;
    /// `from_root` converts command-line paths to relative paths.
    pub fn new(
        models: Vec<ExplorationReport>,
        mut shared: RunReport,
        from_root: &dyn Fn(&str) -> String,
    ) -> Self {
        for model in &models {
            let hash = model.machine.files.fingerprint();
            shared.head.models.insert(model.file(from_root), hash);
            for finding in &model.result.findings {
                shared.findings.extend(model.finding(finding, from_root));
                shared.scenarios.push(model.case(finding, from_root));
            }
        }
        Self { models, shared }
    }

    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => self.write_text(out),
            ReportKind::Json => writeln!(out, "{}", self.json()),
            ReportKind::Html => {
                let page = exploration_page::render(&self.summary(), &self.models)?;
                out.write_all(page.as_bytes())
            }
            ReportKind::Markdown => self.write_markdown(out),
            kind => {
                let writer = RunWriter {
                    report: &self.shared,
                    sources: &BTreeMap::new(),
                    page: &RunPage::default(),
                    comparison: None,
                };
                writer.write(kind, out)
            }
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (number, model) in self.models.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            model.write_text(out)?;
        }
        match self.models.len() {
            0 | 1 => Ok(()),
            _ => writeln!(out, "\n{}", self.summary()),
        }
    }

    fn json(&self) -> Json {
        match &*self.models {
            [only] => only.json(),
            all => json!({"models": all.iter().map(ExplorationReport::json).collect::<Vec<_>>()}),
        }
    }

    /// The result in one line.
    fn summary(&self) -> String {
        let findings = self.models.iter().flat_map(|model| &model.result.findings);
        let count = |wanted: fn(&&SearchFinding) -> bool| findings.clone().filter(wanted).count();
        let mut parts = vec![plural(count(|finding| finding.fails()), "problem")];
        for (number, what) in [
            (count(|finding| finding.is_open()), "open"),
            (count(|finding| finding.accepted.is_some()), "accepted"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        let models = plural(self.models.len(), "model");
        format!("{models}: {}", parts.join(", "))
    }

    /// Writes the problems in full, and the other answers as collapsed lists.
    fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = MarkdownText::default();
        text.always(&format!("### fsmsim explore: {}\n", self.summary()));
        for model in &self.models {
            let extent = model.extent();
            text.section(&format!("\n#### {}\n\n{extent}\n", code(&model.model)));
            let (problems, others): (Vec<_>, Vec<_>) = model
                .result
                .findings
                .iter()
                .partition(|finding| finding.fails());
            for finding in problems {
                let title = code(&model.titled(finding));
                let lines = model.witness_lines(finding);
                let lines = if lines.is_empty() {
                    String::new()
                } else {
                    format!("\n{}", block(&lines))
                };
                text.section(&format!("\n{title}\n{lines}"));
            }
            let answers = others.iter().map(|finding| {
                let mark = match verdict_of(finding) {
                    ScenarioVerdict::Passed => "✓",
                    _ => "·",
                };
                format!("- {mark} {}\n", code(&model.titled(finding)))
            });
            text.folded(&plural(others.len(), "other answer"), answers);
        }
        out.write_all(text.finish().as_bytes())
    }
}
