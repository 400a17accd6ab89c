//! The authoring server: one connection over standard input and output.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::author_handler::AuthorHandler;
use super::tool_executor::{AuthorService, ToolExecutor};
use super::tools::author_tools;
use crate::mcp::connections::connections;
use crate::mcp::service::ServerLimits;

/// Serves the project in the working directory until the connection closes or the process receives a shutdown signal.
/// Returns the error that ended the connection early.
pub fn serve_author(service: AuthorService) -> io::Result<io::Result<()>> {
    let tools = Arc::new(author_tools(service.writes).map_err(io::Error::other)?);
    let desk = Arc::new(ToolExecutor::open(service).map_err(io::Error::other)?);
    // The server has only one connection; the tool executor limits its dialogues.
    let limits = ServerLimits {
        sessions: 1,
        idle: Duration::MAX,
        calls: u32::MAX,
    };
    connections(None, limits, move || AuthorHandler {
        desk: Arc::clone(&desk),
        tools: Arc::clone(&tools),
    })
}
