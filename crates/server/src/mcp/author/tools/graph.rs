//! The `graph` tool: draws a model as text.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::result_page::{Cursor, text_page};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::graph::{GraphDirection, GraphOverlay, MachineGraph};
use fsmsim_reports::report::{write_dot, write_graph_text, write_mermaid};

/// Draws a model as text, for Mermaid, for Graphviz, or as JSON. The text lists each state with its outgoing
/// transitions.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GraphCall {
    /// Path of the model, relative to the project; `PATH@PROFILE` selects the profile.
    model: String,
    /// Profile of the model; overrides the profile in the path.
    profile: Option<String>,
    /// Output format (default: `text`).
    #[serde(default)]
    format: PictureFormat,
    /// Draw all states of a large model, instead of its phases.
    #[serde(default)]
    all: bool,
    cursor: Option<Cursor>,
}

/// The output format.
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
        // The text format can show all states.
        PictureFormat::Text => write_graph_text(&graph, &GraphOverlay::default()),
        PictureFormat::Mermaid => write_mermaid(&drawn(), GraphDirection::default()),
        PictureFormat::Dot => write_dot(&drawn(), GraphDirection::default()),
        PictureFormat::Json => {
            serde_json::to_string_pretty(&drawn()).map_err(|error| error.to_string())?
        }
    };
    text_page(&text, call.cursor.as_ref())
}
