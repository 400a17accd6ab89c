//! A picture of a model, as text.

use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::fenced_project::FencedProject;
use crate::mcp::author::result_page::text_page;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_reports::report::{write_dot, write_graph_text, write_mermaid};

#[derive(Debug, Deserialize)]
pub(in crate::mcp::author) struct GraphCall {
    model: String,
    #[serde(default)]
    profile: Option<String>,
    #[serde(default)]
    format: PictureFormat,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    cursor: Option<String>,
}

/// What a picture is drawn with.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PictureFormat {
    #[default]
    Text,
    Mermaid,
    Dot,
    Json,
}

/// Draws a model.
pub(in crate::mcp::author) fn graph(call: &GraphCall, fenced: &FencedProject) -> Answered {
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
        // Text has room for all states.
        PictureFormat::Text => write_graph_text(&graph, &GraphOverlay::default()),
        PictureFormat::Mermaid => write_mermaid(&drawn()),
        PictureFormat::Dot => write_dot(&drawn()),
        PictureFormat::Json => {
            serde_json::to_string_pretty(&drawn()).map_err(|error| error.to_string())?
        }
    };
    text_page(&text, call.cursor.as_deref())
}
