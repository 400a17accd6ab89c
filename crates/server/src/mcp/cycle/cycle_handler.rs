//! Takes the requests of one connection to the tasks.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorData,
    Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use strum::VariantArray;

use super::cycle_tool::CycleTool;
use super::task_call::submit;
use super::task_registry::TaskRegistry;
use super::task_reply::TaskReply;
use super::task_stream::TaskStream;
use super::tool_arguments::{ToolArguments, ToolSchemas};
use crate::mcp::argument_schema::unknown_tool;
use crate::mcp::blocking::blocking;
use crate::mcp::strange_request::not_understood;

/// Takes requests to the tasks.
#[derive(Clone)]
pub(super) struct CycleHandler {
    registry: Arc<TaskRegistry>,
    schemas: Arc<ToolSchemas>,
}

/// What a client is told of the server as a whole.
const INTRODUCTION: &str = "Tasks go through analysis, plan, execution, validation and commit. submit_task begins one; task_status \
                            tells under `waits_for` whose work is next and what is known to it; tick gives what that work comes to. \
                            stream follows a task to its end.";

impl CycleHandler {
    /// A handler for one connection.
    pub(super) fn new(registry: Arc<TaskRegistry>, schemas: Arc<ToolSchemas>) -> Self {
        Self { registry, schemas }
    }

    async fn answer(
        &self,
        tool: CycleTool,
        given: ToolArguments,
        context: RequestContext<RoleServer>,
    ) -> Result<TaskReply, String> {
        let runs = tool == CycleTool::SubmitTask && given.is("run");
        if tool != CycleTool::Stream && !runs {
            let registry = Arc::clone(&self.registry);
            return blocking(move || TaskReply::of(&registry, tool, &given), lost).await;
        }
        let registry = Arc::clone(&self.registry);
        let stream = if runs {
            let arguments = given.clone();
            let slot = blocking(move || submit(&registry, &arguments), lost).await?;
            TaskStream::new(Arc::clone(&self.registry), slot, context).with_turns_so_far()
        } else {
            let slot = registry.find(given.text("task_id").unwrap_or_default())?;
            TaskStream::new(registry, slot, context)
        };
        let slot = stream.slot();
        stream.run(&given).await?;
        Ok(TaskReply::status(&slot))
    }
}

/// What a client is told where a call came to nothing.
fn lost() -> String {
    "The call could not be answered. Ask for the task by task_status.".to_owned()
}

impl ServerHandler for CycleHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let title = format!("Tasks of {}", self.registry.service.machine.header.name);
        let me = Implementation::new("fsmsim", env!("CARGO_PKG_VERSION")).with_title(title);
        ServerConfig::new(capabilities)
            .with_server_info(me)
            .with_instructions(INTRODUCTION)
    }

    // What is not declared is not answered, also where there would be nothing to tell.

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(not_understood(&request, |method| {
            !["prompts/", "resources/"]
                .iter()
                .any(|kind| method.starts_with(kind))
        }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        name.parse().ok().map(CycleTool::tool)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            CycleTool::VARIANTS.iter().map(|tool| tool.tool()).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let wrong = |told: String| CallToolResult::error(vec![ContentBlock::text(told)]);
        let Ok(tool) = request.name.parse::<CycleTool>() else {
            let names: Vec<&str> = CycleTool::VARIANTS.iter().map(|tool| tool.name()).collect();
            return Err(unknown_tool(&request.name, &names));
        };
        let given = match self.schemas.read(tool, request.arguments.as_ref()) {
            Ok(given) => given,
            Err(told) => return Ok(wrong(told).into()),
        };
        let answer = self.answer(tool, given, context).await;
        Ok(answer.map_or_else(wrong, TaskReply::result).into())
    }
}
