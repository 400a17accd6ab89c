//! Serving over HTTP, whatever is served. Whoever can reach the port is taken for a stranger: hosts, sizes, times and numbers
//! are all bounded.

mod connections;
mod listener;
mod log;
mod peer;
mod told_to_stop;

pub use axum::http::{HeaderName, header};
pub use connections::{BODY_TIMEOUT, HEADER_TIMEOUT, MAX_BODY, MAX_CONNECTIONS, serve_connections};
pub use listener::{host_names, listen};
pub use log::{LogFormat, LogLine, cut, log};
pub use peer::PeerAddress;
pub use told_to_stop::told_to_stop;
