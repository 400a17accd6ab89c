//! The MCP handler that all servers share.

use std::pin::Pin;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ConstString, CustomRequest, CustomResult, ErrorData, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, ReadResourceRequestMethod,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::argument_schema::shown;
use super::unsupported_request::not_understood;

/// A tool call in progress.
pub(super) type CallFuture<'a> =
    Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send + 'a>>;

/// A service for one connection, or for one request of a client without connections.
pub(super) trait ServedDesk: Send + Sync + 'static {
    /// The title of the server.
    fn title(&self) -> String;

    /// The instructions for clients.
    fn introduction(&self) -> String;

    fn tools(&self) -> Vec<Tool>;

    /// Calls a tool.
    fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallFuture<'_>;

    /// Whether there are resources.
    fn has_resources(&self) -> bool {
        false
    }

    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// The URI templates of additional resources.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// The contents of a resource; an error can explain why it is unavailable.
    fn read(&self, _address: &str) -> Result<Vec<ResourceContents>, Option<String>> {
        Err(None)
    }

    /// The prompts; none if the server has no prompts.
    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// A prompt with its arguments filled in.
    fn prompt(&self, _request: &GetPromptRequestParams) -> Result<GetPromptResult, String> {
        Err(String::new())
    }
}

/// The MCP handler for a `ServedDesk`. All services share this type, because the protocol is compiled separately for
/// each handler type and transport.
pub(super) struct ProtocolHandler(pub Arc<dyn ServedDesk>);

/// Makes a handler for a connection.
pub(super) type MakeHandler = Arc<dyn Fn() -> ProtocolHandler + Send + Sync>;

impl ProtocolHandler {
    async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn ServedDesk) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let served = Arc::clone(&self.0);
        let lost = || ErrorData::internal_error("the request failed", None);
        blocking(move || ask(&*served), lost).await
    }
}

/// Runs `act` on a separate thread, so that other requests can be served. `lost` is the error if the thread panics.
pub(super) async fn blocking<T: Send + 'static, E: Send + 'static>(
    act: impl FnOnce() -> Result<T, E> + Send + 'static,
    lost: impl FnOnce() -> E,
) -> Result<T, E> {
    tokio::task::spawn_blocking(act)
        .await
        .unwrap_or_else(|_| Err(lost()))
}

/// Reports progress if the client requested it: the number of steps, and the total if it is known.
pub(super) async fn report_progress(
    context: &RequestContext<RoleServer>,
    done: usize,
    of: Option<usize>,
    message: String,
) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let mut progress = ProgressNotificationParam::new(token, number(done)).with_message(message);
    progress.total = of.map(number);
    // The client might have disconnected.
    let _ = context.peer.notify_progress(progress).await;
}

/// Rejects methods of a capability that the server does not offer.
fn offered<M: ConstString>(is_offered: bool) -> Result<(), ErrorData> {
    is_offered
        .then_some(())
        .ok_or_else(ErrorData::method_not_found::<M>)
}

/// Lists have one page, so every cursor is invalid.
fn first_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => {
            let error = format!(
                "unknown cursor `{}`: the list has only one page",
                shown(&cursor)
            );
            Err(ErrorData::invalid_params(error, None))
        }
        None => Ok(()),
    }
}

impl ServerHandler for ProtocolHandler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        capabilities.resources = self.0.has_resources().then(Default::default);
        capabilities.prompts = (!self.0.prompts().is_empty()).then(Default::default);
        let me =
            Implementation::new("fsmsim", env!("CARGO_PKG_VERSION")).with_title(self.0.title());
        ServerConfig::new(capabilities)
            .with_server_info(me)
            .with_instructions(self.0.introduction())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(not_understood(&request, |method| {
            (self.0.has_resources() || !method.starts_with("resources/"))
                && (!self.0.prompts().is_empty() || !method.starts_with("prompts/"))
        }))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tools().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(page)?;
        Ok(ListToolsResult::with_all_items(self.0.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.call(request, context).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        offered::<ListResourcesRequestMethod>(self.0.has_resources())?;
        first_page(page)?;
        self.ask(|served| Ok(ListResourcesResult::with_all_items(served.resources())))
            .await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        offered::<ListResourceTemplatesRequestMethod>(self.0.has_resources())?;
        first_page(page)?;
        Ok(ListResourceTemplatesResult::with_all_items(
            self.0.templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        offered::<ReadResourceRequestMethod>(self.0.has_resources())?;
        self.ask(move |served| {
            let uri = &request.uri;
            let missing = |why: Option<String>| {
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                let error = format!("cannot find `{}`{why}", shown(uri));
                ErrorData::resource_not_found(error, Some(json!({"uri": uri})))
            };
            Ok(ReadResourceResult::new(served.read(uri).map_err(missing)?).into())
        })
        .await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.0.prompts();
        offered::<ListPromptsRequestMethod>(!prompts.is_empty())?;
        first_page(page)?;
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        offered::<GetPromptRequestMethod>(!self.0.prompts().is_empty())?;
        self.0
            .prompt(&request)
            .map(Into::into)
            .map_err(|why| ErrorData::invalid_params(why, None))
    }
}
