//! Live models over HTTP: one file per API, and the shared parts.

mod answer_objects;
mod anthropic;
mod chat_request;
mod completion;
mod connection;
mod exchange;
mod gigachat;
mod http_client;
mod live_answerer;
mod openai;
mod proxy_route;
mod rate_limiter;
mod reading_fault;
mod refusal;
mod request_error;
mod response_body;
mod server_error;
mod strict_schema;

pub use connection::Connection;
pub(super) use live_answerer::Live;
