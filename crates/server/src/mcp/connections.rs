//! Serves MCP connections until shutdown.

use std::io;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use super::http;
use super::http_access::HttpAccess;
use super::message_lines::MessageLines;
use super::protocol_handler::{MakeHandler, ProtocolHandler, ServedDesk};
use super::service::ServerLimits;
use crate::http::{log, serve_until_stopped};

/// Serves connections, each with a separate desk, until standard input closes or the process receives a shutdown
/// signal. Returns the error that ended them early.
pub(super) fn connections<S: ServedDesk>(
    access: Option<HttpAccess>,
    limits: ServerLimits,
    desk: impl Fn() -> S + Send + Sync + 'static,
) -> io::Result<io::Result<()>> {
    let handler: MakeHandler = Arc::new(move || ProtocolHandler(Arc::new(desk())));
    serve_until_stopped(|stop| async move {
        match access {
            Some(access) => http::serve(access, handler, limits, stop).await,
            None => serve_stdio(handler()).await,
        }
    })
}

/// Serves the connection over standard input and output until the assistant closes it.
async fn serve_stdio(handler: ProtocolHandler) -> io::Result<()> {
    let (input, output) = rmcp::transport::io::stdio();
    let running = match handler.serve(MessageLines::new(input, output)).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                error.to_string(),
            ));
        }
    };
    log("connected");
    running.waiting().await.map(drop).map_err(io::Error::other)
}
