//! The authoring tools, one file per tool, with arguments and result.

mod author_turn;
mod conditions;
mod coverage;
mod diff;
mod explain;
mod graph;
mod lint;
mod models;
mod play;
mod save_scenario;
mod scenarios;
mod schema;
mod test;
mod wanted_scenarios;
mod why;
mod why_not;

use rmcp::model::ToolAnnotations;

use super::author_answer::Answered;
use super::author_desk::AuthorCall;
use crate::mcp::typed_tool::{TypedTool, TypedTools};
use conditions::{ConditionsAnswer, ConditionsCall, conditions};
use coverage::{CoverageAnswer, CoverageCall, coverage};
use diff::{DiffAnswer, DiffCall, diff};
use explain::{ExplainCall, explain};
use graph::{GraphCall, graph};
use lint::{LintAnswer, LintCall, lint};
use models::{ModelsAnswer, ModelsCall, models};
use play::{PlayAnswer, PlayCall, play};
use save_scenario::{SaveScenarioAnswer, SaveScenarioCall, save_scenario};
use scenarios::{ScenariosAnswer, ScenariosCall, scenarios};
use schema::{SchemaCall, schema};
use test::{TestAnswer, TestCall, test};
use why::{WhyAnswer, WhyCall, why};
use why_not::{WhyNotAnswer, WhyNotCall, why_not};

pub(super) type AuthorTools = TypedTools<AuthorCall, Answered>;

type Tool = TypedTool<AuthorCall, Answered>;

/// The authoring tools. `writes`: whether `save_scenario` can write files.
pub(super) fn author_tools(writes: bool) -> Result<AuthorTools, String> {
    let reads = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let reads = || reads.clone();
    // `play` writes no file, but each call changes a dialogue, and it can call an LLM provider if the user has agreed.
    let plays = reads().read_only(false).idempotent(false).open_world(true);
    let saves = if writes {
        reads().read_only(false).destructive(true).idempotent(false)
    } else {
        reads()
    };
    Ok(TypedTools(vec![
        Tool::new::<ModelsCall, ModelsAnswer>("models", reads(), models)?,
        Tool::new::<ScenariosCall, ScenariosAnswer>("scenarios", reads(), scenarios)?,
        Tool::new::<LintCall, LintAnswer>("lint", reads(), lint)?,
        Tool::new::<ExplainCall, ()>("explain", reads(), |call, _| explain(call))?,
        Tool::new::<GraphCall, ()>("graph", reads(), graph)?,
        Tool::new::<ConditionsCall, ConditionsAnswer>("conditions", reads(), conditions)?,
        Tool::new::<PlayCall, PlayAnswer>("play", plays, play)?,
        Tool::new::<WhyCall, WhyAnswer>("why", reads(), why)?,
        Tool::new::<WhyNotCall, WhyNotAnswer>("why_not", reads(), why_not)?,
        Tool::new::<SaveScenarioCall, SaveScenarioAnswer>("save_scenario", saves, save_scenario)?,
        Tool::new::<TestCall, TestAnswer>("test", reads(), test)?,
        Tool::new::<CoverageCall, CoverageAnswer>("coverage", reads(), coverage)?,
        Tool::new::<DiffCall, DiffAnswer>("diff", reads(), diff)?,
        Tool::new::<SchemaCall, ()>("schema", reads(), |call, _| schema(call))?,
    ]))
}
