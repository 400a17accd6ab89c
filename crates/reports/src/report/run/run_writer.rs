//! Writes the report of a run in any format.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::super::coverage::{write_cobertura, write_coverage_html, write_lcov};
use super::super::report_kind::ReportKind;
use super::github::write_github;
use super::gitlab::write_gitlab;
use super::junit::write_junit;
use super::markdown::write_markdown;
use super::run_comparison::RunComparison;
use super::run_page::RunPage;
use super::run_report::RunReport;
use super::run_text::write_run_text;
use super::sarif::write_sarif;
use super::tap::write_tap;

/// The report of a run, with data that only some formats need.
#[derive(Debug)]
pub struct RunWriter<'r> {
    pub report: &'r RunReport,
    /// The texts of the models, by relative path.
    pub sources: &'r BTreeMap<String, Arc<str>>,
    /// The models, for their diagrams.
    pub page: &'r RunPage,
    /// The same scenarios at an earlier revision, for Markdown.
    pub comparison: Option<&'r RunComparison>,
}

impl RunWriter<'_> {
    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, mut out: &mut dyn Write) -> io::Result<()> {
        let coverage = self.report.coverage.as_ref();
        let shown = |path: &str| self.report.head.in_repository(path);
        match (kind, coverage) {
            (ReportKind::Text, _) => write_run_text(self.report, out),
            (ReportKind::Json, _) => out.write_all(self.report.to_json().as_bytes()),
            (ReportKind::Html, _) => self.page.write(self.report, out),
            (ReportKind::Junit, _) => write_junit(self.report, out),
            (ReportKind::Tap, _) => write_tap(self.report, out),
            (ReportKind::Github, _) => write_github(self.report, out),
            (ReportKind::Gitlab, _) => write_gitlab(self.report, out),
            (ReportKind::Markdown, _) => write_markdown(self.report, self.comparison, out),
            (ReportKind::Sarif, _) => write_sarif(self.report, out),
            (ReportKind::Lcov, Some(coverage)) => write_lcov(coverage, &shown, &mut out),
            (ReportKind::Cobertura, Some(coverage)) => write_cobertura(coverage, &shown, &mut out),
            (ReportKind::Coverage, Some(coverage)) => {
                write_coverage_html(coverage, self.sources, &mut out)
            }
            (ReportKind::Lcov | ReportKind::Cobertura | ReportKind::Coverage, _) => Ok(()),
        }
    }
}
