//! The tools of an agent cycle, and their handler.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};

use crate::mcp::typed_tool::{TypedTool, TypedTools, call_result};

use super::memory_query::{audit, search, why};
use super::task_registry::TaskRegistry;
use super::task_reply::{CalledTask, status_reply};
use super::task_stream::TaskStream;
use super::tool_calls::{approve, cancel, follow, observe, submit, task_status, tick};
use crate::mcp::protocol_handler::{CallFuture, ServedDesk, blocking};

/// Routes requests to the tasks.
#[derive(Clone)]
pub(super) struct CycleHandler {
    pub registry: Arc<TaskRegistry>,
    pub tools: Arc<CycleTools>,
}

/// The instructions that a client receives from the server.
const INTRODUCTION: &str = "Tasks go through analysis, plan, execution, validation and commit. submit_task starts a task; task_status \
                            describes the next work and its inputs under `waits_for`; tick submits the output of that work. stream \
                            follows a task to its end.";

impl CycleHandler {
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, String> {
        let tools = Arc::clone(&self.tools);
        let registry = Arc::clone(&self.registry);
        match blocking(move || tools.call(&request, &registry), lost).await? {
            CalledTask::Done(result) => Ok(result),
            CalledTask::Followed(task) => {
                let slot = Arc::clone(&task.slot);
                TaskStream::new(Arc::clone(&self.registry), task, context)
                    .run()
                    .await?;
                Ok(status_reply(&slot, false))
            }
        }
    }
}

/// The error if a call fails.
fn lost() -> String {
    "The call failed. Get the status of the task with task_status.".to_owned()
}

impl ServedDesk for CycleHandler {
    fn title(&self) -> String {
        format!("Tasks of {}", self.registry.service.machine.header.name)
    }

    fn introduction(&self) -> String {
        INTRODUCTION.to_owned()
    }

    fn tools(&self) -> Vec<Tool> {
        self.tools.listed()
    }

    fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallFuture<'_> {
        Box::pin(async move {
            self.tools.known(&request.name)?;
            let wrong = |message| call_result(message, None, true);
            let answer = self.answer(request, context).await;
            Ok(answer.unwrap_or_else(wrong).into())
        })
    }
}

pub(super) type CycleTools = TypedTools<TaskRegistry, Result<CalledTask, String>>;

type CycleTool = TypedTool<TaskRegistry, Result<CalledTask, String>>;

/// The tools of an agent cycle.
pub(super) fn cycle_tools() -> Result<CycleTools, String> {
    let reads = || ToolAnnotations::new().read_only(true).open_world(false);
    let acts = || reads().read_only(false).destructive(false);
    let ends = acts().destructive(true);
    Ok(TypedTools(vec![
        CycleTool::new::<_, ()>("submit_task", acts(), submit)?,
        CycleTool::new::<_, ()>("tick", acts(), tick)?,
        CycleTool::new::<_, ()>("stream", acts(), follow)?,
        CycleTool::new::<_, ()>("task_status", reads(), task_status)?,
        CycleTool::new::<_, ()>("observe", acts(), observe)?,
        CycleTool::new::<_, ()>("approve", acts(), approve)?,
        CycleTool::new::<_, ()>("cancel", ends, cancel)?,
        CycleTool::new::<_, ()>("search_memory", reads(), search)?,
        CycleTool::new::<_, ()>("why", reads(), why)?,
        CycleTool::new::<_, ()>("audit", reads(), audit)?,
    ]))
}
