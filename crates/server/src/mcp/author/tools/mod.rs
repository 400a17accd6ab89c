//! The authoring tools, one file per tool, with arguments and result.

mod author_turn;
mod conditions;
mod coverage;
mod diff;
mod explain;
mod generate;
mod graph;
mod lint;
mod models;
mod mutate;
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
use super::tool_executor::AuthorCall;
use crate::mcp::typed_tool::{TypedTool, TypedTools};

pub(super) type AuthorTools = TypedTools<AuthorCall, Answered>;

type Tool = TypedTool<AuthorCall, Answered>;

/// Lists tools, each with its answer and annotations. The name of a tool is also the name of its file and function.
macro_rules! tools {
    ($($name:ident: $answer:ty, $kind:expr;)*) => {
        Ok(TypedTools(vec![
            $(Tool::new::<_, $answer>(stringify!($name), $kind, $name::$name)?),*
        ]))
    };
}

/// The authoring tools. If `writes` is set, `save_scenario` can write files.
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
    tools! {
        models: models::ModelsAnswer, reads();
        scenarios: scenarios::ScenariosAnswer, reads();
        lint: lint::LintAnswer, reads();
        explain: (), reads();
        graph: (), reads();
        conditions: conditions::ConditionsAnswer, reads();
        play: play::PlayAnswer, plays;
        why: why::WhyAnswer, reads();
        why_not: why_not::WhyNotAnswer, reads();
        save_scenario: save_scenario::SaveScenarioAnswer, saves;
        test: test::TestAnswer, reads();
        coverage: coverage::CoverageAnswer, reads();
        generate: generate::GenerateAnswer, reads();
        mutate: mutate::MutateAnswer, reads();
        diff: diff::DiffAnswer, reads();
        schema: (), reads();
    }
}
