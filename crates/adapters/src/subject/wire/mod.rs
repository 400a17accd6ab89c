//! Connections to systems under test: over HTTP, and as tools of MCP servers, which are child processes or reached over
//! HTTP. All waits have timeouts and all input has size limits, because the systems are not trusted.

mod http_agent;
mod http_subject;
mod mcp_channel;
mod mcp_over_http;
mod mcp_process;
mod mcp_subject;
mod process_group;

use std::path::Path;

use http_subject::HttpSubject;
use mcp_subject::McpSubject;

use super::subject_failure::SubjectFailure;
use super::subject_spec::{SubjectKind, SubjectSpec};
use super::subject_wire::SubjectWire;
use crate::limits::MAX_SUBJECT_WORDS;
use fsmsim_syntax::terminal::{TextRedactions, beginning, printable};

/// Opens the connection of a dialogue.
pub(super) fn connect(
    spec: &SubjectSpec,
    root: &Path,
    mask: &mut TextRedactions,
) -> Result<Box<dyn SubjectWire>, SubjectFailure> {
    Ok(match &spec.kind {
        SubjectKind::Http(http) => Box::new(HttpSubject::new(http, spec.timeout, mask)?),
        SubjectKind::Mcp(mcp) => Box::new(McpSubject::connect(mcp, spec.timeout, root, mask)?),
    })
}

/// The start of an external message, on one line. Longer than the displayed part: secrets are removed before
/// truncation, because a truncated secret would not be recognized.
fn shown(text: &str) -> String {
    printable(beginning(text.trim(), MAX_SUBJECT_WORDS))
}
