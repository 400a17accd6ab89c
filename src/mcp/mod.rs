//! Serving the instructions of a set of states to a real assistant, over the Model Context Protocol (000, section 7).
//!
//! One tool, `get_instruction(state?, session?)`. Requests arrive on connections; a single desk plays the dialogues, one
//! call at a time, so that none of them is ever shared. A dialogue is known by its session, which every answer names:
//! newer clients keep nothing about a connection between two requests.

mod answer;
mod call;
mod catalogue;
mod clerk;
mod desk;
mod front;
mod http;
mod ledger;
mod log;
mod stdio;
mod talk;

pub use desk::Bounds;
pub use front::{Served, Service, serve};
pub use ledger::Ledger;
