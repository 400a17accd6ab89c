//! Takes the requests of the connection to the desk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, CustomRequest, CustomResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use strum::VariantArray;
use tokio::sync::mpsc::unbounded_channel;

use super::author_answer::{Answered, AuthorAnswer};
use super::author_desk::AuthorDesk;
use super::author_prompt::AuthorPrompt;
use super::author_refusal::AuthorRefusal;
use super::author_resources::AuthorResources;
use super::author_tool::AuthorTool;
use super::call_progress::CallProgress;
use crate::mcp::argument_schema::{shown, unknown_tool};
use crate::mcp::blocking::blocking;
use crate::mcp::strange_request::not_understood;

/// Takes the requests of the connection to the desk. Each call is done on a thread of its own.
pub(super) struct AuthorHandler {
    desk: Arc<AuthorDesk>,
}

/// What a client is told of the server as a whole.
const INTRODUCTION: &str = "fsmsim plays and tests dialogue definitions (flows, interviews, contracts, cycles, markdown states). \
                            Write the files with your own tools; here they are checked and played as they are now. After each \
                            edit call lint; play turns and ask why or why_not where a turn surprises; save_scenario keeps what \
                            was played as a test; test runs the scenarios. Paths are seen from the folder of the project. The \
                            formats are told by the resources fsmsim://docs/flows, fsmsim://docs/scenarios and fsmsim://schemas/flow.";

impl AuthorHandler {
    /// A handler for the connection.
    pub(super) fn new(desk: Arc<AuthorDesk>) -> Self {
        Self { desk }
    }

    /// Does a call on a thread of its own, tells meanwhile how far it is, and lets it go where nobody waits for it.
    async fn answer(
        &self,
        tool: AuthorTool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Answered {
        let token = context.meta.get_progress_token();
        let (sender, mut steps) = unbounded_channel();
        let progress = CallProgress {
            steps: token.is_some().then_some(sender),
            ..CallProgress::default()
        };
        let (desk, calling) = (Arc::clone(&self.desk), progress.clone());
        let call = move || desk.answer(tool, request.arguments.as_ref(), &calling);
        let mut call = tokio::task::spawn_blocking(call);
        let stopped = Arc::clone(&progress.stopped);
        drop(progress);
        let lost = |_| {
            Err(AuthorRefusal::from(
                "the call could not be answered; call again",
            ))
        };
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(AuthorRefusal::from("the call was cancelled"));
                }
                Some(step) = steps.recv() => {
                    let Some(token) = token.clone() else { continue };
                    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
                    let told = ProgressNotificationParam::new(token, number(step.done)).with_total(number(step.of));
                    // A client that has gone hears nothing of it.
                    let _ = context.peer.notify_progress(told.with_message(step.told)).await;
                }
                done = &mut call => return done.unwrap_or_else(lost),
            }
        }
    }
}

/// What a client is told where a request came to nothing.
fn lost() -> ErrorData {
    ErrorData::internal_error("the request could not be answered", None)
}

/// Lists are told in one page, so no cursor is one of ours.
fn first_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => {
            let told = format!(
                "there is no page behind `{}`: the list is told whole",
                shown(&cursor)
            );
            Err(ErrorData::invalid_params(told, None))
        }
        None => Ok(()),
    }
}

impl ServerHandler for AuthorHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let me = Implementation::new("fsmsim", env!("CARGO_PKG_VERSION"))
            .with_title("fsmsim: play and test dialogue definitions");
        ServerConfig::new(capabilities)
            .with_server_info(me)
            .with_instructions(INTRODUCTION)
    }

    // What is not declared is not answered.
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
        Err(not_understood(&request, |_| true))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        name.parse()
            .ok()
            .map(|tool: AuthorTool| tool.tool(self.desk.service.writes))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(page)?;
        let tools = AuthorTool::VARIANTS
            .iter()
            .map(|tool| tool.tool(self.desk.service.writes));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Ok(tool) = request.name.parse::<AuthorTool>() else {
            let names: Vec<&str> = AuthorTool::VARIANTS
                .iter()
                .map(|tool| tool.name())
                .collect();
            return Err(unknown_tool(&request.name, &names));
        };
        let answer = self.answer(tool, request, &context).await;
        Ok(answer
            .map_or_else(AuthorRefusal::result, AuthorAnswer::result)
            .into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        first_page(page)?;
        let desk = Arc::clone(&self.desk);
        blocking(
            move || {
                Ok(ListResourcesResult::with_all_items(
                    AuthorResources { desk: &desk }.all(),
                ))
            },
            lost,
        )
        .await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        first_page(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(
            AuthorResources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let desk = Arc::clone(&self.desk);
        let read = move || {
            let uri = &request.uri;
            let read = AuthorResources { desk: &desk }.read(uri);
            let missing = |why: AuthorRefusal| {
                let told = format!("there is nothing at `{}`: {}", shown(uri), why.text);
                ErrorData::resource_not_found(told, Some(json!({"uri": uri})))
            };
            Ok(ReadResourceResult::new(read.map_err(missing)?).into())
        };
        blocking(read, lost).await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        first_page(page)?;
        Ok(ListPromptsResult::with_all_items(
            AuthorPrompt::VARIANTS
                .iter()
                .map(|prompt| prompt.listed())
                .collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let result = AuthorPrompt::filled(&request.name, request.arguments.as_ref());
        result
            .map(Into::into)
            .map_err(|why| ErrorData::invalid_params(why, None))
    }
}
