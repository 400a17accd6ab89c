//! The `graph` tool: draws a model as text.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::author_desk::AuthorCall;
use crate::mcp::author::result_page::{Cursor, text_page};
use fsmsim_harness::graph::{GraphDirection, GraphOverlay, MachineGraph};
use fsmsim_reports::report::{write_dot, write_graph_text, write_mermaid};

/// Draws a model, as text: each state with its ways out; or for Mermaid, for Graphviz, or as JSON.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GraphCall {
    /// The model, by its path from the project; `PATH@PROFILE` fixes the profile.
    model: String,
    /// The profile.
    profile: Option<String>,
    /// What it is drawn with: text unless said.
    #[serde(default)]
    format: PictureFormat,
    /// All states, also where there are so many that their phases would be drawn.
    #[serde(default)]
    all: bool,
    cursor: Option<Cursor>,
}

/// What a picture is drawn with.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PictureFormat {
    #[default]
    Text,
    Mermaid,
    Dot,
    Json,
}

/// Draws a model.
pub(super) fn graph(call: &GraphCall, to: &AuthorCall) -> Answered {
    let fenced = to.desk.project_now()?;
    let machine = fenced.machine(&call.model, call.profile.as_deref())?;
    let graph = MachineGraph::of(&machine);
    let drawn = || {
        if call.all {
            graph.clone()
        } else {
            graph.overview()
        }
    };
    let text = match call.format {
        // The text format has space for all states.
        PictureFormat::Text => write_graph_text(&graph, &GraphOverlay::default()),
        PictureFormat::Mermaid => write_mermaid(&drawn(), GraphDirection::default()),
        PictureFormat::Dot => write_dot(&drawn(), GraphDirection::default()),
        PictureFormat::Json => {
            serde_json::to_string_pretty(&drawn()).map_err(|error| error.to_string())?
        }
    };
    text_page(&text, call.cursor.as_ref())
}
