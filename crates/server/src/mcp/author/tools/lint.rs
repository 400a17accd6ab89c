//! The `lint` tool: checks models for errors and likely mistakes.

use std::path::Path;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::lint::Linter;
use fsmsim_reports::report::{ReportedFinding, lint_summary};
use fsmsim_runtime::project::models_below;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Checks models for errors and likely mistakes, each with file, line, column and fix. Without `models`, checks all
/// models of the project. Call it after each edit.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LintCall {
    /// Paths of models or of directories with models, relative to the project; `PATH@PROFILE` selects the profile.
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4000)))]
    models: Vec<String>,
    /// Profile of the models; overrides the profile in the path.
    profile: Option<String>,
    /// Do not report transitions that no state declares.
    #[serde(default)]
    permissive: bool,
    #[serde(flatten)]
    page: PageCall<100>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LintAnswer {
    errors: usize,
    warnings: usize,
    models: usize,
    #[schemars(with = "Vec<JsonObject>")]
    findings: Vec<ReportedFinding>,
    next: Option<String>,
}

/// Checks models.
pub(super) fn lint(call: &LintCall, to: &AuthorCall) -> Answered {
    let fenced = &to.desk.project_now()?;
    let page = call.page.read()?;
    let wanted = if call.models.is_empty() {
        fenced.models()
    } else {
        call.models.clone()
    };
    if wanted.is_empty() {
        return Err("no models in the project: create one, or list it in `models`".into());
    }
    let from_root = |path: &str| fenced.named(Path::new(path));
    let cache = fenced.cache().with_stubs(call.permissive);
    let mut linter = Linter::new(&fenced.project, cache, None, call.permissive);
    let mut findings = Vec::new();
    let mut texts = Vec::new();
    for named in &wanted {
        let (path, profile) = fenced.model(named, call.profile.as_deref())?;
        let below = models_below(&path, &mut Diagnostics::default());
        let paths = if below.is_empty() { vec![path] } else { below };
        for path in paths {
            // A link in a model folder can point anywhere.
            let path = fenced.admit(&path.to_string_lossy())?;
            let name = format!("{}@{}", path.display(), profile.name());
            let Some(found) = linter.look_at(&name) else {
                continue;
            };
            let sources = linter.models.sources();
            FencedProject::holds_all(sources)?;
            for finding in found {
                findings.push(ReportedFinding::of(&finding, sources, &from_root));
                texts.push(AuthorRefusal::of(&Diagnostics::of(finding), sources).text);
            }
        }
    }
    let report = linter.report;
    let all = findings.len();
    let next = page.take(&mut findings);
    page.take(&mut texts);
    texts.push(lint_summary(&report) + &more_pages_text(next.as_ref(), all));
    let parts = LintAnswer {
        errors: report.errors,
        warnings: report.warnings,
        models: report.models,
        findings,
        next,
    };
    Ok(AuthorAnswer::new(texts.join("\n\n"), &parts))
}
