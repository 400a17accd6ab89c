//! Takes the requests of one connection, or one request where clients keep no connection, to the session manager.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::oneshot;

use super::call::{TOOL, ToolCall};
use super::resources::Resources;
use super::session_manager::{CallOutcome, Job};

/// Takes requests to the session manager.
pub(super) struct McpHandler {
    resources: Arc<Resources>,
    jobs: Sender<Job>,
    /// The dialogue of this connection, for callers that name none.
    own: Mutex<Option<String>>,
}

impl McpHandler {
    /// A handler for one connection.
    pub(super) fn new(resources: Arc<Resources>, jobs: Sender<Job>) -> Self {
        Self { resources, jobs, own: Mutex::new(None) }
    }

    /// Takes a call to the session manager; nothing where it has ended.
    async fn ask(&self, call: ToolCall) -> Option<CallOutcome> {
        let (reply, outcome) = oneshot::channel();
        self.jobs.send(Job { call, reply }).ok()?;
        outcome.await.ok()
    }

    fn own(&self) -> Option<String> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let title = format!("Instructions of {}", self.resources.name);
        let me = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).with_title(title);
        ServerConfig::new(capabilities).with_server_info(me).with_instructions(self.resources.introduction.clone())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == TOOL).then(|| self.resources.tool.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.resources.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != TOOL {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        }
        let mut call = match ToolCall::read(request.arguments.as_ref()) {
            Ok(call) => call,
            Err(wrong) => return Ok(CallToolResult::error(vec![ContentBlock::text(wrong)]).into()),
        };
        call.own = self.own();
        let begins = call.session.is_none();
        let Some(outcome) = self.ask(call).await else {
            return Err(ErrorData::internal_error("the server is shutting down", None));
        };
        let result = match outcome {
            Ok(answer) => {
                if begins {
                    *self.own.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer.session);
                }
                let content = vec![ContentBlock::text(answer.text)];
                let mut result =
                    if answer.refused { CallToolResult::error(content) } else { CallToolResult::success(content) };
                result.structured_content = Some(answer.parts);
                result
            }
            Err(wrong) => CallToolResult::error(vec![ContentBlock::text(wrong)]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.resources.resources()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.resources.read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => Err(ErrorData::resource_not_found(format!("there is nothing at `{}`", request.uri), None)),
        }
    }
}
