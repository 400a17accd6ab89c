//! The REPL: runs a dialogue interactively, and explains each turn.

mod commands;
mod context;
mod edit_notice;
mod helper;
mod interview;
mod loaded;
mod next_state;
mod policies;
mod reload;
mod render;
mod repl;
mod run_loop;
mod saved;
mod travel;

pub use self::repl::{Repl, ReplReply};
pub use self::run_loop::{ReplFormat, run_loop};
