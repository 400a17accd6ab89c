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

use super::subject_dialogue::SubjectWire;
use super::subject_failure::SubjectFailure;
use super::subject_redactions::SubjectRedactions;
use super::subject_spec::{SubjectKind, SubjectSpec};

/// The largest answer that is read, in bytes.
const ANSWER_LIMIT: usize = 1 << 20;
/// Characters of what a subject says about a failure that are shown.
const SHOWN: usize = 300;

/// Makes the connection of a dialogue.
pub(super) fn connect(
    spec: &SubjectSpec,
    root: &Path,
    redactions: &mut SubjectRedactions,
) -> Result<Box<dyn SubjectWire>, SubjectFailure> {
    Ok(match &spec.kind {
        SubjectKind::Http(http) => Box::new(HttpSubject::new(http, spec.timeout, redactions)?),
        SubjectKind::Mcp(mcp) => Box::new(McpSubject::connect(mcp, spec.timeout, root, redactions)?),
    })
}

/// The beginning of what somebody said, on one line.
fn shown(text: &str) -> String {
    let text = text.trim();
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    crate::terminal::printable(&short)
}
