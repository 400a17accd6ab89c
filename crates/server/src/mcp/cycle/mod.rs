//! Serves an agent cycle: clients submit, drive, follow and query tasks. All tasks share one memory.
//!
//! Each task is a separate dialogue with an ID. One caller at a time runs its turns. Its status is published after each
//! turn, so that status queries never wait.

mod agent_task;
mod cycle_handler;
mod cycle_service;
mod memory_query;
mod played_task;
mod server;
mod task_registry;
mod task_reply;
mod task_slot;
mod task_status;
mod task_stream;
mod task_turn;
mod tool_calls;

pub use cycle_service::CycleService;
pub use server::serve_cycle;
