//! The `mutate` tool: changes a model, and reports the changes that no scenario notices.

use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::limits::MAX_MUTANT_STATES;
use fsmsim_harness::mutate::{
    MutantResult, MutationCache, MutationCounts, MutationInput, MutationRun, MutationSuite,
};
use fsmsim_harness::scenario::{ModelKey, Runner, ScenarioFiles};
use fsmsim_harness::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::{Mutex, Threads};

/// Makes small changes of a model and reports each change that no scenario notices, with a scenario that would. Each
/// reported change is a gap in the tests. The run writes no files.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MutateCall {
    /// Path of the model, relative to the project; `PATH@PROFILE` selects the profile.
    model: String,
    #[serde(flatten)]
    page: PageCall<30>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct MutateAnswer {
    /// The number of changes by result.
    #[schemars(with = "JsonObject")]
    mutants: MutationCounts,
    /// The changes that no scenario notices, with file, line and a scenario that notices each.
    #[schemars(with = "Vec<JsonObject>")]
    unnoticed: Vec<Json>,
    next: Option<String>,
}

/// Mutates a model.
pub(super) fn mutate(call: &MutateCall, to: &AuthorCall) -> Answered {
    let AuthorCall { desk, progress } = to;
    let fenced = desk.project_now()?;
    let page = call.page.read()?;
    let (path, profile) = fenced.model(&call.model, None)?;
    let place = fenced.named(&path);
    let machine = fenced.load(&path, profile)?;
    let mut found = Diagnostics::default();
    let paths = fenced.scenario_paths(Vec::new())?;
    let files = ScenarioFiles::of(&fenced.project, &paths, &mut found);
    let models = Mutex::new(fenced.cache());
    let alone = Threads::new(1).map_err(|error| format!("cannot start threads: {error}"))?;
    let suite = MutationSuite::load(
        Runner::new(&fenced.project, &models),
        SnapshotChecker::new(&fenced.project, SnapshotMode::Check),
        &files,
        &[path.as_path()],
        &desk.threads,
    );
    if suite.is_empty() {
        return Err("no scenario of this model passes: call `test`, or save a scenario".into());
    }
    let input = MutationInput {
        name: place.clone(),
        place,
        key: ModelKey {
            path: path.clone(),
            variant: profile.into(),
        },
        machine,
        lines: None,
    };
    let done = AtomicUsize::new(0);
    let mut run = MutationRun {
        suite: &suite,
        cache: &MutationCache::of(&fenced.project.root),
        config: fenced.config.clone(),
        states: MAX_MUTANT_STATES,
        with_snapshots: true,
        shard: None,
        threads: &desk.threads,
        alone: &alone,
        canceled: Some(&*progress.stopped),
        each: &|| {},
    };
    let wanted = run.wanted(&input);
    let of = wanted.len();
    let step = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.step(done, of, || format!("{done} of {of} changes"));
    };
    run.each = &step;
    let mutated = [run.mutate(&input, wanted)];
    if progress.stopped.load(Ordering::Relaxed) {
        return Err("the run was canceled".into());
    }
    let [model] = &mutated;
    let counts = model.counts();
    let open = model
        .mutants
        .iter()
        .filter(|result| result.status.is_open());
    let mut unnoticed: Vec<&MutantResult> = open.collect();
    let all = unnoticed.len();
    let next = page.take(&mut unnoticed);
    let mut lines = vec![counts.to_string()];
    let mut parts = Vec::new();
    for result in unnoticed {
        let file = fenced.named(&result.mutant.path);
        let ((line, _), _) = result.place;
        let change = result.change();
        lines.push(format!("\n{file}:{line}: {change}"));
        lines.extend(result.scenario.clone().or_else(|| result.reason.clone()));
        parts.push(json!({
            "file": file,
            "line": line,
            "change": change,
            "status": result.status.name(),
            "reason": result.reason,
            "scenario": result.scenario,
        }));
    }
    let text = lines.join("\n") + &more_pages_text(next.as_ref(), all);
    let parts = MutateAnswer {
        mutants: counts,
        unnoticed: parts,
        next,
    };
    Ok(AuthorAnswer::new(text, &parts))
}
