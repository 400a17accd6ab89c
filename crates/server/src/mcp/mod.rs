//! Serves models to LLM assistants over the Model Context Protocol: the instructions of a state set, the turns of a
//! flow, or the tasks of an agent cycle. It also serves the authoring tools.
//!
//! A dialogue has one tool: `get_instruction` if the assistant selects the states, or `turn` if the model selects them.
//! The session manager stores the dialogues and runs one call at a time in each. Every answer contains the session ID
//! of its dialogue: newer clients store no connection state between requests.

mod admission;
mod argument_schema;
mod author;
mod call;
mod call_rates;
mod caller;
mod connections;
mod consent_question;
mod cross_origin;
#[cfg(feature = "sqlite")]
mod cycle;
mod dialogue_traces;
mod flow_turns;
mod http;
mod http_access;
mod incoming_line;
mod instruction_turns;
mod live_sessions;
mod mcp_handler;
mod mcp_session;
mod message_lines;
mod protocol_handler;
mod resources;
mod served_tool;
mod server;
mod service;
mod session_manager;
mod session_persistence;
mod tool_reply;
mod trace_file;
mod turn_reply;
mod typed_tool;
mod unsupported_request;

pub use author::{AuthorService, serve_author};
#[cfg(feature = "sqlite")]
pub use cycle::{CycleService, serve_cycle};
pub use http_access::HttpAccess;
pub use server::{Served, serve};
pub use service::{ServerLimits, Service, UserTwins};
pub use session_persistence::SessionPersistence;
pub use trace_file::TraceFile;
