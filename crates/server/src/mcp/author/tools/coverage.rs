//! The coverage of models by scenarios.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use strum::VariantArray;

use super::test::{reported_findings, run};
use super::wanted_scenarios::WantedScenarios;
use crate::limits::MAX_LISTED_UNAVAILABLE;
use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::coverage::{CoverageKind, CoverageVerdict, ItemKey, ModelReport, Share};
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_reports::harness::SuiteRunResult;
use fsmsim_reports::report::{ReportedFinding, RunReport};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::terminal::Joined;

/// Runs scenarios and reports their coverage of the models: counts per kind, and each missed item with file and line.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CoverageCall {
    #[serde(flatten)]
    wanted: WantedScenarios,
    /// Report only this model: its path, relative to the project.
    model: Option<String>,
    /// Report only missed items of this kind: `states`, `transitions`, `rules`, …
    kind: Option<String>,
    #[serde(flatten)]
    page: PageCall<200>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CoverageAnswer {
    #[schemars(with = "Vec<JsonObject>")]
    models: Vec<Json>,
    #[schemars(with = "Vec<JsonObject>")]
    missed: Vec<Json>,
    #[schemars(with = "Vec<JsonObject>")]
    findings: Vec<ReportedFinding>,
    next: Option<String>,
}

/// Measures the coverage of the models.
pub(super) fn coverage(call: &CoverageCall, to: &AuthorCall) -> Answered {
    let fenced = to.desk.project_now()?;
    let page = call.page.read()?;
    let kind = call.kind.as_deref().map(kind_of).transpose()?;
    let model = call
        .model
        .as_deref()
        .map(|named| fenced.model(named, None))
        .transpose()?
        .map(|(path, _)| fenced.named(&path));
    let SuiteRunResult {
        report, messages, ..
    } = run(&call.wanted, true, fenced, to)?;
    // The coverage of invalid scenarios and models is unknown.
    let input_findings = reported_findings(&messages);
    let mut broken: Vec<String> = report
        .why_invalid()
        .into_iter()
        .filter(|why| !input_findings.contains(*why))
        .map(str::to_owned)
        .collect();
    broken.extend(unavailable(&report));
    let findings = report.findings;
    let counted = report.coverage.unwrap_or_default();
    if counted.models.is_empty()
        && report
            .scenarios
            .iter()
            .any(|scenario| scenario.verdict == ScenarioVerdict::Invalid)
    {
        return Err((input_findings + &broken.join("\n")).into());
    }
    if let Some(model) = model
        .as_ref()
        .filter(|model| !counted.models.contains_key(*model))
    {
        return Err(
            Diagnostic::error(Code::UnknownArgument, format!("no coverage of `{model}`"))
                .near(
                    model,
                    counted.models.keys().map(String::as_str),
                    "name a model that a scenario runs",
                )
                .into(),
        );
    }
    let mut models = Vec::new();
    let mut missed = Vec::new();
    let mut lines = Vec::new();
    for (path, counted) in counted
        .models
        .iter()
        .filter(|(path, _)| model.as_ref().is_none_or(|model| model == *path))
    {
        let (parts, summary) = shares(path, counted);
        models.push(parts);
        lines.push(summary);
        let wanted = counted
            .items
            .iter()
            .filter(|(key, _)| kind.is_none_or(|kind| kind == key.kind));
        let uncovered = wanted.filter(|(_, count)| {
            matches!(
                count.verdict(),
                CoverageVerdict::Missed | CoverageVerdict::Unknown
            )
        });
        missed.extend(uncovered.map(|(key, _)| (path.as_str(), key)));
    }
    lines.extend(broken);
    let all = missed.len();
    let next = page.take(&mut missed);
    if all > 0 {
        lines.push("\nmissed:".to_owned());
    }
    lines.extend(missed.iter().map(|(_, key)| {
        format!(
            "{} {} ({}:{})",
            key.kind.name(),
            key.name,
            key.file,
            key.line
        )
    }));
    let missed = missed.into_iter().map(item).collect();
    if lines.is_empty() {
        lines.push("no coverage: no scenario runs a model".to_owned());
    }
    let text = input_findings + &lines.join("\n") + &more_pages_text(next.as_ref(), all);
    let parts = CoverageAnswer {
        models,
        missed,
        findings,
        next,
    };
    Ok(AuthorAnswer::new(text, &parts))
}

/// Scenarios that did not run because a service was unavailable. The items that they would cover count as missed.
fn unavailable(report: &RunReport) -> Vec<String> {
    let all = report
        .scenarios
        .iter()
        .filter(|scenario| scenario.verdict == ScenarioVerdict::Unavailable);
    let lines = all.map(|scenario| {
        format!(
            "not run: {}: {}",
            scenario.id,
            scenario
                .reason
                .as_deref()
                .unwrap_or("an external service was unavailable")
        )
    });
    let mut lines: Vec<String> = lines.collect();
    if let Some(more) = lines
        .len()
        .checked_sub(MAX_LISTED_UNAVAILABLE)
        .filter(|more| *more > 0)
    {
        lines.truncate(MAX_LISTED_UNAVAILABLE);
        lines.push(format!("… and {more} more"));
    }
    lines
}

fn kind_of(name: &str) -> Result<CoverageKind, AuthorRefusal> {
    name.parse().map_err(|_| {
        let known = CoverageKind::VARIANTS.iter().map(|kind| kind.name());
        Diagnostic::unknown_argument("coverage kind", name)
            .offer(name, "kinds", known)
            .into()
    })
}

/// The coverage of a model by kind.
fn shares(path: &str, counted: &ModelReport) -> (Json, String) {
    let shares: Vec<_> = counted.shares().collect();
    let counts = shares
        .iter()
        .map(|(name, share)| format!("{name} {}/{}", share.covered, share.all));
    let summary = format!("{path}: {}", counts.joined(", "));
    let share = |(name, share): &(&str, Share)| {
        (
            (*name).to_owned(),
            json!({"covered": share.covered, "all": share.all}),
        )
    };
    let shares: serde_json::Map<String, Json> = shares.iter().map(share).collect();
    (json!({"model": path, "shares": shares}), summary)
}

fn item((model, key): (&str, &ItemKey)) -> Json {
    json!({"model": model, "kind": key.kind.name(), "name": key.name, "file": key.file, "line": key.line, "column": key.column})
}
