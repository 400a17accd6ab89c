//! Serving a cycle: tasks that clients submit, drive, follow and ask about, many at once over one memory.
//!
//! Each task is a dialogue of its own, known by its id, and is played by one caller at a time; what there is to say of it is
//! published behind each turn, so that who only asks waits for nobody.

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
