//! The `test` tool: runs scenarios.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::wanted_scenarios::WantedScenarios;
use crate::limits::{MAX_PARTS_BYTES, MAX_TOLD_FINDINGS};
use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::bounded_parts::size_of;
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::result_page::{PageCall, ResultPage, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::scenario::UNAGREED;
use fsmsim_reports::harness::{SuiteProgress, SuiteRun, SuiteRunResult};
use fsmsim_reports::report::{ReportKind, ReportedFinding, RunPage, RunWriter};
use fsmsim_syntax::terminal::Joined;

/// Runs scenarios and returns the report of `fsmsim test --check --report json`. The run calls no LLM provider and
/// writes no files.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TestCall {
    #[serde(flatten)]
    wanted: WantedScenarios,
    #[serde(flatten)]
    page: PageCall<200>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "the command's report is passed on unchanged")]
pub(super) struct TestAnswer {
    fsmsim_report: u32,
    #[schemars(extend("const" = "test"))]
    kind: String,
    scenarios: Vec<JsonObject>,
    findings: Vec<JsonObject>,
    /// Cursor of the next page of scenarios.
    #[serde(skip_serializing_if = "String::is_empty")]
    next: String,
}

/// Why a scenario with a subject does not run here, even if the user has agreed.
const UNASKED: &str =
    "the authoring tools do not call a system under test: ask the user to run `fsmsim test`";

/// Runs scenarios.
pub(super) fn test(call: &TestCall, to: &AuthorCall) -> Answered {
    let page = call.page.read()?;
    let SuiteRunResult {
        report, messages, ..
    } = run(&call.wanted, false, to.desk.project_now()?, to)?;
    if report.scenarios.is_empty() {
        return Err(call.wanted.nothing().into());
    }
    let sources = BTreeMap::new();
    let page_of_run = RunPage::default();
    let mut text = Vec::new();
    let writer = RunWriter {
        report: &report,
        sources: &sources,
        page: &page_of_run,
        comparison: None,
    };
    writer
        .write(ReportKind::Text, &mut text)
        .map_err(|error| error.to_string())?;
    let all = report.scenarios.len();
    let mut parts = serde_json::to_value(&report).unwrap_or_default();
    let next = cut(&mut parts, page);
    let text =
        String::from_utf8_lossy(&text).trim_end().to_owned() + &more_pages_text(next.as_ref(), all);
    Ok(AuthorAnswer::new(
        reported_findings(&messages) + &text,
        &parts,
    ))
}

/// The findings about the input, which precede the results: at most `MAX_TOLD_FINDINGS` bytes.
pub(super) fn reported_findings(findings: &[String]) -> String {
    let mut bytes = 0;
    let shown = findings.iter().take_while(|text| {
        bytes += text.len();
        bytes <= MAX_TOLD_FINDINGS
    });
    let shown = shown.count().max(1).min(findings.len());
    let (shown, rest) = findings.split_at_checked(shown).unwrap_or((findings, &[]));
    let mut text = shown
        .iter()
        .fold(String::new(), |text, finding| text + finding + "\n\n");
    if !rest.is_empty() {
        text.push_str("… `structuredContent.findings` contains all findings\n\n");
    }
    text
}

/// Shortens the scenarios of a report to one page. If all of them fit, the report is unchanged.
fn cut(report: &mut Json, page: ResultPage) -> Option<String> {
    let scenarios = report.get_mut("scenarios").and_then(Json::as_array_mut)?;
    let (part, mut next) = page.of(scenarios.len());
    let mut bytes = 0;
    let fits = scenarios
        .get(part.clone())
        .unwrap_or_default()
        .iter()
        .take_while(|scenario| {
            bytes += size_of(scenario);
            bytes <= MAX_PARTS_BYTES
        });
    // Each page has at least one scenario, so that paging ends.
    let end = part.start + fits.count().max(1).min(part.len());
    if end < part.end {
        next = Some(end.to_string());
    }
    scenarios.truncate(end);
    scenarios.drain(..part.start);
    if let (Some(next), Some(report)) = (&next, report.as_object_mut()) {
        report.insert("next".to_owned(), Json::from(next.as_str()));
    }
    next
}

/// Runs scenarios and reports progress.
pub(super) fn run(
    wanted: &WantedScenarios,
    covers: bool,
    fenced: FencedProject,
    AuthorCall { desk, progress }: &AuthorCall,
) -> Result<SuiteRunResult, AuthorRefusal> {
    let paths: Vec<PathBuf> = wanted.paths(&fenced)?;
    let filter = wanted.filter(&fenced)?;
    let FencedProject {
        project, config, ..
    } = fenced;
    let stopped = Arc::clone(&progress.stopped);
    let suite = SuiteRun {
        project,
        config,
        paths,
        filter,
        covers,
        checks: true,
        stopped,
    };
    let mut step = |step: &SuiteProgress| {
        let SuiteProgress { done, of, counts } = *step;
        let short = counts.failed + counts.unexpected_passes + counts.invalid;
        progress.step(done, of, || {
            format!("{} passed, {short} not passed", counts.passed)
        });
    };
    let mut done = suite
        .run(&desk.threads, &mut step)
        .map_err(|findings| refusal(&findings))?;
    for scenario in &mut done.report.scenarios {
        if let Some(reason) = &mut scenario.reason {
            *reason = reason.replace(UNAGREED, UNASKED);
        }
    }
    if progress.stopped.load(Ordering::Relaxed) {
        return Err("the run was canceled".into());
    }
    Ok(done)
}

fn refusal(findings: &[ReportedFinding]) -> AuthorRefusal {
    let lines = findings.iter().map(|finding| {
        let help = finding
            .help
            .as_ref()
            .map(|help| format!("\n  help: {help}"))
            .unwrap_or_default();
        format!("{} {}{help}", finding.code, finding.title)
    });
    lines.joined("\n").into()
}
