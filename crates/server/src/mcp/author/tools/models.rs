//! The `models` tool: lists the models of the project.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::tool_executor::AuthorCall;

/// Lists the models of the project by path, and its scenario directory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ModelsCall {}

#[derive(Serialize, JsonSchema)]
pub(super) struct ModelsAnswer {
    models: Vec<String>,
    scenarios: String,
}

/// Lists the models.
pub(super) fn models(_: &ModelsCall, to: &AuthorCall) -> Answered {
    let fenced = to.desk.project_now()?;
    let models = fenced.models();
    let scenarios = fenced.named(Path::new(&fenced.project.scenarios));
    let scenarios = if scenarios.is_empty() {
        ".".to_owned()
    } else {
        scenarios
    };
    let listed = if models.is_empty() {
        "no models in the project".to_owned()
    } else {
        models.join("\n")
    };
    Ok(AuthorAnswer::new(
        format!("{listed}\n\nscenario directory: {scenarios}/"),
        &ModelsAnswer { models, scenarios },
    ))
}
