//! HTTP for every server. All clients are untrusted: hosts, sizes, times and numbers of requests are limited.

mod access_token;
mod connections;
mod listener;
mod log;
mod requests;

pub use access_token::{AccessToken, random_name};
pub use axum::http::{HeaderName, header};
pub use connections::{PeerAddress, serve_connections, serve_until_stopped};
pub use listener::{host_names, listen};
pub use log::{LogFormat, LogLine, cut, log};
pub use requests::{only_header, read_body};
