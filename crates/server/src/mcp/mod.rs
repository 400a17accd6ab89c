//! Serving a model to a real assistant, over the Model Context Protocol: the instructions of a set of states, the turns of a
//! flow, or the tasks of a cycle; and the workbench itself to an assistant that writes models.
//!
//! Of a dialogue there is one tool: `get_instruction`, where the assistant goes from state to state, or `turn`, where the model
//! leads. Requests arrive on connections; the session manager knows the dialogues, each of which is played by one call at a
//! time. A dialogue is known by its session, which every answer names: newer clients keep nothing about a connection between
//! two requests.

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
mod session_keeper;
mod session_manager;
mod strange_request;
mod tool_reply;
mod trace_file;
mod turn_reply;
mod typed_tool;

pub use author::{AuthorService, serve_author};
#[cfg(feature = "sqlite")]
pub use cycle::{CycleService, serve_cycle};
pub use http_access::HttpAccess;
pub use server::{Served, serve};
pub use service::{ServerLimits, Service, UserTwins};
pub use session_keeper::SessionKeeper;
pub use trace_file::TraceFile;
