//! The tools of a cycle.

use rmcp::model::ToolAnnotations;

use super::memory_query::{AuditCall, MemoryWhyCall, SearchMemoryCall, audit, search, why};
use super::task_registry::TaskRegistry;
use super::task_reply::CalledTask;
use super::tool_calls::{
    ApproveCall, CancelCall, ObserveCall, StreamCall, SubmitTaskCall, TaskStatusCall, TickCall,
    approve, cancel, follow, observe, submit, task_status, tick,
};
use crate::mcp::typed_tool::{TypedTool, TypedTools};

pub(super) type CycleTools = TypedTools<TaskRegistry, Result<CalledTask, String>>;

type Tool = TypedTool<TaskRegistry, Result<CalledTask, String>>;

/// The tools of a cycle.
pub(super) fn cycle_tools() -> Result<CycleTools, String> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let acts = || reads().read_only(false).destructive(false);
    let ends = acts().destructive(true);
    Ok(TypedTools(vec![
        Tool::new::<SubmitTaskCall, ()>("submit_task", acts(), submit)?,
        Tool::new::<TickCall, ()>("tick", acts(), tick)?,
        Tool::new::<StreamCall, ()>("stream", acts(), follow)?,
        Tool::new::<TaskStatusCall, ()>("task_status", reads(), task_status)?,
        Tool::new::<ObserveCall, ()>("observe", acts(), observe)?,
        Tool::new::<ApproveCall, ()>("approve", acts(), approve)?,
        Tool::new::<CancelCall, ()>("cancel", ends, cancel)?,
        Tool::new::<SearchMemoryCall, ()>("search_memory", reads(), search)?,
        Tool::new::<MemoryWhyCall, ()>("why", reads(), why)?,
        Tool::new::<AuditCall, ()>("audit", reads(), audit)?,
    ]))
}
