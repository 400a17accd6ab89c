//! How subjects are reached: over HTTP, and as tools of MCP servers, which are processes of our own or reached over HTTP. Every
//! wait has an end, and everything that is read has a bound: who answers is not of this house.

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
use fsmsim_syntax::terminal::{TextMask, beginning, printable};

/// Makes the connection of a dialogue.
pub(super) fn connect(
    spec: &SubjectSpec,
    root: &Path,
    mask: &mut TextMask,
) -> Result<Box<dyn SubjectWire>, SubjectFailure> {
    Ok(match &spec.kind {
        SubjectKind::Http(http) => Box::new(HttpSubject::new(http, spec.timeout, mask)?),
        SubjectKind::Mcp(mcp) => Box::new(McpSubject::connect(mcp, spec.timeout, root, mask)?),
    })
}

/// The beginning of what somebody said, on one line. It is longer than what is told of it: secrets are taken out of it before it
/// is cut, since half of one is none that is known.
fn shown(text: &str) -> String {
    printable(beginning(text.trim(), MAX_SUBJECT_WORDS))
}
