//! Live models over HTTP: one file for each way of speaking to a server, and what they share.

mod anthropic;
mod ask;
mod connection;
mod events;
mod exchange;
mod fall;
mod gigachat;
#[expect(clippy::module_inception, reason = "the answerer is what the folder is about")]
mod live;
mod openai;
mod pace;
mod said;
mod secrets;
mod token;

pub use connection::Connection;
pub(super) use live::Live;
