//! Serving over HTTP, whatever is served. Whoever can reach the port is taken for a stranger: hosts, sizes, times and numbers
//! are all bounded.

mod access_token;
mod connections;
mod listener;
mod log;
mod requests;

pub use access_token::{AccessToken, random_name};
pub use axum::http::{HeaderName, header};
pub use connections::{PeerAddress, serve_connections, serve_until_told};
pub use listener::{host_names, listen};
pub use log::{LogFormat, LogLine, cut, log};
pub use requests::{only_header, read_body};
