//! The models of the project.

use std::path::Path;

use serde_json::json;

use crate::mcp::author::author_answer::AuthorAnswer;
use crate::mcp::author::workspace::Workspace;

/// Lists the models.
pub(in crate::mcp::author) fn models(workspace: &Workspace) -> AuthorAnswer {
    let models = workspace.models();
    let scenarios = workspace.named(Path::new(&workspace.project.scenarios));
    let listed = if models.is_empty() { "the project has no model yet".to_owned() } else { models.join("\n") };
    AuthorAnswer::new(
        format!("{listed}\n\nscenarios lie below {scenarios}/"),
        &json!({"models": models, "scenarios": scenarios}),
    )
}
