//! What an author can call.

use std::sync::Arc;

use rmcp::model::ToolAnnotations;

use super::author_answer::Answered;
use super::author_desk::AuthorDesk;
use super::call_progress::CallProgress;
use super::tools as t;
use crate::mcp::typed_tool::{TypedTool, TypedTools};

/// A call that is being answered.
pub(super) struct AuthorCall {
    pub(super) desk: Arc<AuthorDesk>,
    pub(super) progress: CallProgress,
}

pub(super) type AuthorTools = TypedTools<AuthorCall, Answered>;

type Tool = TypedTool<AuthorCall, Answered>;

/// The tools of an author, who may have scenarios written or not.
pub(super) fn author_tools(writes: bool) -> Result<AuthorTools, String> {
    let reads = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let reads = || reads.clone();
    // It writes no file, but each call moves a dialogue; and a live model may be asked, where the user has agreed to it.
    let plays = reads().read_only(false).idempotent(false).open_world(true);
    let saves = if writes {
        reads().read_only(false).destructive(true).idempotent(false)
    } else {
        reads()
    };
    Ok(TypedTools(vec![
        Tool::new::<t::ModelsCall, t::ModelsAnswer>("models", reads(), |_, to| {
            Ok(t::models(&to.desk.project_now()?))
        })?,
        Tool::new::<t::ScenariosCall, t::ScenariosAnswer>("scenarios", reads(), |call, to| {
            t::scenarios(call, &to.desk.project_now()?)
        })?,
        Tool::new::<t::LintCall, t::LintAnswer>("lint", reads(), |call, to| {
            t::lint(call, &to.desk.project_now()?)
        })?,
        Tool::new::<t::ExplainCall, ()>("explain", reads(), |call, _| t::explain(call))?,
        Tool::new::<t::GraphCall, ()>("graph", reads(), |call, to| {
            t::graph(call, &to.desk.project_now()?)
        })?,
        Tool::new::<t::ConditionsCall, t::ConditionsAnswer>("conditions", reads(), |call, to| {
            t::conditions(call, &to.desk, &to.desk.project_now()?)
        })?,
        Tool::new::<t::PlayCall, t::PlayAnswer>("play", plays, |call, to| {
            t::play(call, &to.desk, &to.desk.project_now()?)
        })?,
        Tool::new::<t::WhyCall, t::WhyAnswer>("why", reads(), |call, to| t::why(call, &to.desk))?,
        Tool::new::<t::WhyNotCall, t::WhyNotAnswer>("why_not", reads(), |call, to| {
            t::why_not(call, &to.desk)
        })?,
        Tool::new::<t::SaveScenarioCall, t::SaveScenarioAnswer>(
            "save_scenario",
            saves,
            |call, to| t::save_scenario(call, &to.desk, &to.desk.project_now()?),
        )?,
        Tool::new::<t::TestCall, t::TestAnswer>("test", reads(), |call, to| {
            t::test(call, &to.desk, to.desk.project_now()?, &to.progress)
        })?,
        Tool::new::<t::CoverageCall, t::CoverageAnswer>("coverage", reads(), |call, to| {
            t::coverage(call, &to.desk, to.desk.project_now()?, &to.progress)
        })?,
        Tool::new::<t::DiffCall, t::DiffAnswer>("diff", reads(), |call, to| {
            t::diff(call, &to.desk, &to.desk.project_now()?)
        })?,
        Tool::new::<t::SchemaCall, ()>("schema", reads(), |call, _| t::schema(call))?,
    ]))
}
