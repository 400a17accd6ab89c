//! The `scenarios` tool: lists the scenarios that a run would select.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wanted_scenarios::WantedScenarios;
use crate::mcp::author::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use crate::mcp::author::result_page::{PageCall, more_pages_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::scenario::{Runner, ScenarioFiles};
use fsmsim_harness::selection::ListedScenario;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::terminal::Joined;
use fsmsim_syntax::threads::Mutex;

/// Lists the IDs of the scenarios that a run would select, without running them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ScenariosCall {
    #[serde(flatten)]
    wanted: WantedScenarios,
    #[serde(flatten)]
    page: PageCall<200>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(super) struct ScenariosAnswer {
    #[schemars(with = "Vec<JsonObject>")]
    scenarios: Vec<ListedScenario>,
    next: Option<String>,
}

/// Lists the scenarios.
pub(super) fn scenarios(call: &ScenariosCall, to: &AuthorCall) -> Answered {
    let fenced = &to.desk.project_now()?;
    let page = call.page.read()?;
    let project = &fenced.project;
    let paths = call.wanted.paths(fenced)?;
    let filter = call.wanted.filter(fenced)?;
    let mut found = Diagnostics::default();
    let files = ScenarioFiles::of(project, &paths, &mut found);
    if found.has_errors() {
        return Err(AuthorRefusal::of(&found, &SourceMap::default()));
    }
    let models = Mutex::new(fenced.cache());
    let runner = Runner::new(project, &models);
    let mut listed = Vec::new();
    let mut wrong = Vec::new();
    ListedScenario::each(
        &files,
        &filter,
        &runner,
        &mut |scenario| listed.push(scenario),
        &mut |found, sources| {
            if found.has_errors() {
                wrong.push(AuthorRefusal::of(found, sources).text);
            }
        },
    );
    if listed.is_empty() && wrong.is_empty() {
        // An empty list is a valid result.
        return Ok(AuthorAnswer::new(
            call.wanted.nothing(),
            &ScenariosAnswer::default(),
        ));
    }
    let all = listed.len();
    let next = page.take(&mut listed);
    let lines = listed.iter().map(|scenario| &scenario.id).chain(&wrong);
    let text = lines.joined("\n") + &more_pages_text(next.as_ref(), all);
    let parts = ScenariosAnswer {
        scenarios: listed,
        next,
    };
    Ok(AuthorAnswer {
        is_short: !wrong.is_empty(),
        ..AuthorAnswer::new(text, &parts)
    })
}
