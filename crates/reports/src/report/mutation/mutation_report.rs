//! The mutants of a run, in any format.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::mutation_json::json;
use super::mutation_lines::{notes, open, reason, titled};
use super::mutation_page::render;
use crate::report::report_kind::ReportKind;
use crate::report::run::{
    MarkdownText, ReportedFinding, ReportedPlace, RunPage, RunReport, RunWriter, block, code,
};
use fsmsim_harness::mutate::{MutantResult, MutatedModel, MutationCounts};
use fsmsim_syntax::diagnostic::{Place, plural};
use fsmsim_syntax::terminal::printable;

/// The mutants of a run.
pub struct MutationReport<'r> {
    pub models: &'r [MutatedModel],
    /// The mutants that no scenario notices as findings, for formats that all commands share.
    shared: RunReport,
    /// Converts paths as loaded to paths relative to the project.
    from_root: &'r dyn Fn(&str) -> String,
}

impl<'r> MutationReport<'r> {
    /// The kinds of `--report`.
    pub const KINDS: [ReportKind; 6] = [
        ReportKind::Json,
        ReportKind::Html,
        ReportKind::Github,
        ReportKind::Gitlab,
        ReportKind::Markdown,
        ReportKind::Sarif,
    ];

    /// The report about these models. `shared` has the head of the report and the findings about the input.
    pub fn new(
        models: &'r [MutatedModel],
        mut shared: RunReport,
        from_root: &'r dyn Fn(&str) -> String,
    ) -> Self {
        let mut seen = BTreeSet::new();
        for result in models.iter().flat_map(open) {
            let finding = finding(result, from_root);
            // Models can share a file.
            if seen.insert((finding.at.clone(), finding.title.clone())) {
                shared.findings.push(finding);
            }
        }
        Self {
            models,
            shared,
            from_root,
        }
    }

    /// The counts of all models.
    pub fn counts(&self) -> MutationCounts {
        MutationCounts::of(self.models)
    }

    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => self.write_text(out),
            ReportKind::Json => writeln!(out, "{}", json(self.models, self.from_root)),
            ReportKind::Html => {
                let title = self.counts().to_string();
                let page = render(&title, self.models, self.from_root)?;
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
        for model in self.models {
            let counts = model.counts();
            writeln!(out, "{}: {counts}", printable(&model.model))?;
            for line in notes(model) {
                writeln!(out, "  {}", printable(&line))?;
            }
        }
        if self.models.len() > 1 {
            let models = plural(self.models.len(), "model");
            writeln!(out, "{models}: {}", self.counts())?;
        }
        for model in self.models {
            let mut first_of = BTreeMap::new();
            for result in open(model) {
                writeln!(out)?;
                let title = printable(&titled(result, self.from_root));
                writeln!(out, "{}: {title}", status_words(result))?;
                let Some(scenario) = &result.scenario else {
                    writeln!(out, "  {}", printable(reason(result)))?;
                    continue;
                };
                let first = *first_of.entry(scenario).or_insert(result.number);
                if first < result.number {
                    writeln!(out, "  the scenario for mutant {first} kills it")?;
                    continue;
                }
                writeln!(out, "  mutant {first}: this scenario kills it:")?;
                for line in scenario.lines() {
                    writeln!(out, "    {}", printable(line))?;
                }
            }
        }
        Ok(())
    }

    fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut text = MarkdownText::default();
        text.always(&format!("### fsmsim mutate: {}\n", self.counts()));
        for model in self.models {
            let counts = model.counts();
            text.section(&format!("\n#### {}\n\n{counts}\n", code(&model.model)));
            for result in open(model) {
                let status = status_words(result);
                let title = code(&titled(result, self.from_root));
                let lines = scenario_lines(result);
                text.section(&format!("\n{status}: {title}\n\n{}", block(&lines)));
            }
        }
        out.write_all(text.finish().as_bytes())
    }
}

/// The lines of the scenario that kills a mutant, or the reason for its absence.
fn scenario_lines(result: &MutantResult) -> Vec<String> {
    let text = result.scenario.as_deref().unwrap_or(reason(result));
    text.lines().map(str::to_owned).collect()
}

fn status_words(result: &MutantResult) -> &'static str {
    if result.covered_by.is_empty() {
        "not covered"
    } else {
        "survived"
    }
}

/// A mutant that no scenario notices as a finding.
fn finding(result: &MutantResult, from_root: &dyn Fn(&str) -> String) -> ReportedFinding {
    let path = result.file();
    let file = from_root(&path);
    let ((line, column), _) = result.place;
    let place = Place { path, line, column };
    ReportedFinding {
        at: Some(ReportedPlace::of(&place, file)),
        code: result.mutant.operator.name().to_owned(),
        severity: "warning".to_owned(),
        title: format!("{}: {}", status_words(result), result.change()),
        notes: scenario_lines(result),
        help: None,
    }
}
