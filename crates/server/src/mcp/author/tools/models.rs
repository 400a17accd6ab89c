//! The models of the project.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::AuthorAnswer;
use crate::mcp::author::fenced_project::FencedProject;

/// Lists the models of the project, by path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::mcp::author) struct ModelsCall {}

#[derive(Serialize, JsonSchema)]
pub(in crate::mcp::author) struct ModelsAnswer {
    models: Vec<String>,
    scenarios: String,
}

/// Lists the models.
pub(in crate::mcp::author) fn models(fenced: &FencedProject) -> AuthorAnswer {
    let models = fenced.models();
    let scenarios = fenced.named(Path::new(&fenced.project.scenarios));
    let scenarios = if scenarios.is_empty() {
        ".".to_owned()
    } else {
        scenarios
    };
    let listed = if models.is_empty() {
        "the project has no model yet".to_owned()
    } else {
        models.join("\n")
    };
    AuthorAnswer::new(
        format!("{listed}\n\nscenarios lie below {scenarios}/"),
        &ModelsAnswer { models, scenarios },
    )
}
