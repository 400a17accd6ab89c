//! The `diff` tool: compares two models.

use std::path::PathBuf;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_core::machine::Profile;
use fsmsim_harness::diff::{DiffOperand, DiffOptions, ModelDiff, NamedFiles, Sides, StateRenames};
use fsmsim_harness::scenario::Runner;
use fsmsim_harness::suite::report_loaded;
use fsmsim_reports::report::{DifferenceReport, ReportKind};
use fsmsim_runtime::project::unknown_profile;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Mutex;

/// Runs scenarios with two models, or with two revisions of one model. Reports the dialogues that differ, and the edits
/// that cause the differences.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DiffCall {
    /// Path of a model, relative to the project. `git:REVISION:PATH` reads it from a Git revision; `git:REVISION` uses
    /// the path of the other model.
    a: String,
    /// Path of the second model, in the same form.
    b: String,
    /// Scenario files and directories to run (default: the scenario directory of the project).
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4000)))]
    paths: Vec<String>,
    /// Profile of both models.
    profile: Option<String>,
    #[serde(flatten)]
    page: PageCall<50>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "the command's report is passed on unchanged")]
pub(super) struct DiffAnswer {
    same: bool,
    dialogues: JsonObject,
    causes: Vec<JsonObject>,
    differences: Vec<JsonObject>,
    next: Option<String>,
}

/// The prefix of a path in a Git revision.
const GIT: &str = "git:";

/// The number of turns that the text shows before and after a difference.
const CONTEXT: usize = 1;

/// Compares two models.
pub(super) fn diff(call: &DiffCall, to: &AuthorCall) -> Answered {
    let fenced = &to.desk.project_now()?;
    let page = call.page.read()?;
    let profile = call.profile.as_deref();
    let known = |name| Profile::from_name(name).ok_or_else(|| Box::new(unknown_profile(name)));
    let profile = profile.map(known).transpose()?;
    let a = operand(&call.a, fenced)?;
    let b = operand(&call.b, fenced)?;
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let operands = DiffOperand::pair(Sides { a: &a, b: &b }, &mut sources, &mut found);
    let operands = operands
        .filter(|_| !found.has_errors())
        .ok_or_else(|| AuthorRefusal::of(&found, &sources))?;
    let Some(candidates) = operands.as_ref().map(DiffOperand::candidate).both() else {
        return Err(
            Diagnostic::error(Code::BadComparison, "the `diff` tool compares only models")
                .help("run `fsmsim diff` to compare traces or scenarios")
                .into(),
        );
    };
    let names: Vec<(String, String)> = [&candidates.a.names, &candidates.b.names]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let models = Mutex::new(fenced.cache());
    let runner = Runner {
        profile,
        ..Runner::new(&fenced.project, &models)
    };
    let paths = call
        .paths
        .iter()
        .map(|path| fenced.admit(path))
        .collect::<Result<Vec<PathBuf>, _>>()?;
    let paths = fenced.scenario_paths(paths)?;
    let renames = StateRenames::read(&[], &mut found).unwrap_or_default();
    let diff = ModelDiff {
        runner: &runner,
        candidates,
        options: DiffOptions {
            only: &[],
            context: CONTEXT,
            renames: &renames,
            only_common: false,
        },
    };
    let outcome = diff.run(&paths, &to.desk.threads, &mut found, &mut sources);
    let mut notes = vec![AuthorRefusal::of(&found, &sources).text];
    let mut cache = models.lock();
    for NamedFiles { models, mocks } in &outcome.named {
        report_loaded(&mut cache, models, mocks, &mut |found, sources| {
            notes.push(AuthorRefusal::of(&found.without_key_notes(), sources).text);
        });
    }
    notes.retain(|text| !text.is_empty());
    let mut notes = notes.join("\n\n");
    for (begin, name) in &names {
        notes = notes.replace(begin, name);
    }
    let Some(comparison) = outcome.comparison else {
        return Err(notes.into());
    };
    let all = comparison.differences.len();
    let report = DifferenceReport {
        a: call.a.clone(),
        b: call.b.clone(),
        comparison,
        context: CONTEXT,
        proof: None,
    };
    let mut parts = report.json();
    let differences = parts.get_mut("differences").and_then(Json::as_array_mut);
    let next = differences.and_then(|differences| page.take(differences));
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = report.write(ReportKind::Text, &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if !notes.is_empty() {
        text = format!("{notes}\n\n{text}");
    }
    if let Some(parts) = parts.as_object_mut() {
        parts.insert("next".to_owned(), next.clone().into());
    }
    Ok(AuthorAnswer::new(
        text.trim_end().to_owned() + &more_pages_text(next.as_ref(), all),
        &parts,
    ))
}

/// Checks the path of an operand and returns the operand.
fn operand(named: &str, fenced: &FencedProject) -> Result<String, AuthorRefusal> {
    if named == "-" || named.chars().any(char::is_control) {
        return Err(
            "expected the path of a model, `git:REVISION:PATH` or `git:REVISION` for `a` and `b`"
                .into(),
        );
    }
    let admitted = |named: &str| {
        let (path, profile) = match named.rsplit_once('@') {
            Some((path, profile)) if Profile::from_name(profile).is_some() => (path, Some(profile)),
            _ => (named, None),
        };
        let path = fenced.admit(path)?.display().to_string();
        Ok::<_, AuthorRefusal>(
            profile.map_or_else(|| path.clone(), |profile| format!("{path}@{profile}")),
        )
    };
    match named
        .strip_prefix(GIT)
        .map(|revision| (revision, revision.split_once(':')))
    {
        None => admitted(named),
        Some((_, Some((revision, path)))) => Ok(format!("{GIT}{revision}:{}", admitted(path)?)),
        Some((_, None)) => Ok(named.to_owned()),
    }
}
