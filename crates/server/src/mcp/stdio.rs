//! Over standard input and output: one connection, as long as the assistant keeps it open.

use std::io;

use rmcp::service::ServerInitializeError;
use rmcp::{ServerHandler, ServiceExt};

use super::message_lines::MessageLines;
use crate::http::log;

/// Serves the one connection until it is closed.
pub(super) async fn serve(handler: impl ServerHandler) -> io::Result<()> {
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
    let ended = running.waiting().await;
    ended.map(drop).map_err(io::Error::other)
}
