//! The connections of a server, until it is told to stop.

use std::io;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::http_access::HttpAccess;
use super::protocol_handler::{ProtocolHandler, ServedDesk};
use super::service::ServerLimits;
use super::{http, stdio};
use crate::http::{log, told_to_stop};

/// Connections have so long to end when the server does.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves connections, each at a desk of its own, until the one over standard input is closed, or the process is told to
/// stop. What ended them before their time is told.
pub(super) fn connections<S: ServedDesk>(
    access: Option<HttpAccess>,
    limits: ServerLimits,
    desk: impl Fn() -> S + Clone + Send + Sync + 'static,
) -> io::Result<io::Result<()>> {
    let handler = move || ProtocolHandler::new(desk());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let connections = runtime.block_on(async {
        let stop = CancellationToken::new();
        let serving = async {
            match access {
                Some(access) => http::serve(access, handler, limits, stop.clone()).await,
                None => stdio::serve(handler()).await,
            }
        };
        tokio::select! {
            ended = serving => ended,
            signal = told_to_stop() => {
                log("stopping");
                stop.cancel();
                signal
            }
        }
    });
    // Whoever still reads standard input holds nothing that matters.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(connections)
}
