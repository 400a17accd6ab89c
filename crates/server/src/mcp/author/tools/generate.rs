//! The `generate` tool: generates scenarios for what no scenario covers.

use std::path::Path;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::generate::{GenerationInput, GenerationRun, generated_kind, suite_coverage};
use fsmsim_harness::limits::{MAX_GENERATED_STATES, MAX_GENERATED_TURNS};
use fsmsim_harness::scenario::{ModelKey, Runner};
use fsmsim_reports::report::write_generation;
use fsmsim_runtime::project::commit_of;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::Mutex;

/// Generates scenarios for what no scenario of a model covers, and reports what cannot be covered. The scenarios expect
/// the current behavior. The tool writes no files: review the scenarios, write better words where a comment says so, and
/// save them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GenerateCall {
    /// Path of the model, relative to the project; `PATH@PROFILE` selects the profile.
    model: String,
    /// The kinds of items to cover, such as `states`, `transitions`, `alternatives`, `conditions` or `mcdc` (default:
    /// the first four).
    cover: Option<Vec<String>>,
    #[serde(flatten)]
    page: PageCall<10>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GenerateAnswer {
    /// The coverage before and after, the lower bound, and the scenarios as YAML.
    #[schemars(with = "JsonObject")]
    generation: Json,
    next: Option<String>,
}

/// Generates scenarios.
pub(super) fn generate(call: &GenerateCall, to: &AuthorCall) -> Answered {
    let AuthorCall { desk, .. } = to;
    let fenced = desk.project_now()?;
    let page = call.page.read()?;
    let usual = ["states", "transitions", "alternatives", "conditions"];
    let kinds: Result<Vec<_>, String> = match &call.cover {
        Some(kinds) => kinds.iter().map(|kind| generated_kind(kind)).collect(),
        None => usual.into_iter().map(generated_kind).collect(),
    };
    let (path, profile) = fenced.model(&call.model, None)?;
    fenced.load(&path, profile)?;
    let place = fenced.named(&path);
    let mut found = Diagnostics::default();
    fenced.scenario_paths(Vec::new())?;
    let models = Mutex::new(fenced.cache());
    let runner = || Runner::new(&fenced.project, &models);
    let inputs = [GenerationInput {
        name: place.clone(),
        place,
        key: ModelKey {
            path,
            variant: profile.into(),
        },
    }];
    let mut counted = suite_coverage(runner(), &[], &inputs, &desk.threads, &mut found);
    let run = GenerationRun {
        runner: runner(),
        kinds: kinds?,
        turns: MAX_GENERATED_TURNS,
        most: None,
        states: MAX_GENERATED_STATES,
        trace: None,
        folder: fenced.project.scenarios.clone(),
        revision: commit_of("HEAD").map(|commit| commit.chars().take(12).collect()),
        threads: &desk.threads,
    };
    let [input] = &inputs;
    let shown = |path: &str| fenced.named(Path::new(path));
    let generated = run.generate(input, &mut counted, &shown);
    let Ok(mut generation) = generated else {
        return Err("the model cannot be loaded: call `lint`".into());
    };
    let all = generation.scenarios.len();
    let mut text = Vec::new();
    write_generation(&generation, &mut text).map_err(|error| error.to_string())?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    let next = page.take(&mut generation.scenarios);
    for scenario in &generation.scenarios {
        text.push_str("---\n");
        text.push_str(&scenario.text);
    }
    text.push_str(&more_pages_text(next.as_ref(), all));
    let answer = GenerateAnswer {
        generation: generation.to_json(),
        next,
    };
    Ok(AuthorAnswer::new(text, &answer))
}
