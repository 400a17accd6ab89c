//! Live models over HTTP: one file for each way of speaking to a server, and what they share.

mod anthropic;
mod chat_request;
mod completion;
mod connection;
mod data_fault;
mod exchange;
mod gigachat;
#[expect(clippy::module_inception, reason = "the answerer is what the folder is about")]
mod live;
mod openai;
mod rate_limiter;
mod request_error;
mod secrets;

pub use connection::Connection;
pub(super) use live::Live;
