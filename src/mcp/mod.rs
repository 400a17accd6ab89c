//! Serving over the Model Context Protocol: the instructions of a set of states or the tasks of a cycle to a real assistant, and
//! the workbench itself to one that writes code.
//!
//! Of a set of states there is one tool, `get_instruction(state?, session?)`. Requests arrive on connections; a single manager plays the dialogues, one
//! call at a time, so that none of them is ever shared. A dialogue is known by its session, which every answer names:
//! newer clients keep nothing about a connection between two requests.

mod admission;
mod argument_schema;
mod author;
mod call;
mod connections;
#[cfg(feature = "sqlite")]
mod cycle;
mod http;
mod mcp_handler;
mod mcp_session;
mod resources;
mod server;
mod session_manager;
mod stdio;
mod tool_reply;
mod trace_file;

pub use author::{AuthorService, serve_author};
#[cfg(feature = "sqlite")]
pub use cycle::{CycleService, serve_cycle};
pub use server::{Served, Service, serve};
pub use session_manager::ServerLimits;
pub use trace_file::TraceFile;
