//! Takes the requests of one connection, or one request where clients keep no connection, to the session manager.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorData,
    Implementation, ListPromptsRequestMethod, ListPromptsResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::blocking::blocking;
use super::call::ToolCall;
use super::caller::Caller;
use super::consent_question::{ConsentAnswer, ConsentQuestion};
use super::resources::Resources;
use super::served_tool::MAX_NAME;
use super::session_manager::{CallOutcome, OwnSession, SessionManager};
use super::strange_request::not_understood;
use fsmsim_syntax::terminal::{printable, shortened};

/// Takes requests to the session manager.
pub(super) struct McpHandler {
    resources: Arc<Resources>,
    manager: Arc<SessionManager>,
    /// A user who is asked has so long to answer.
    patience: Duration,
    /// The dialogue of this connection, for callers that name none.
    own: Arc<OwnSession>,
}

impl McpHandler {
    /// A handler for one connection.
    pub(super) fn new(
        resources: Arc<Resources>,
        manager: Arc<SessionManager>,
        patience: Duration,
    ) -> Self {
        Self {
            resources,
            manager,
            patience,
            own: Arc::default(),
        }
    }

    /// Takes a call to the session manager, on a thread of its own, so that others are served meanwhile.
    async fn ask(&self, call: &ToolCall, caller: &Caller) -> Result<CallOutcome, String> {
        let (manager, own) = (Arc::clone(&self.manager), Arc::clone(&self.own));
        let (call, caller) = (call.clone(), caller.clone());
        blocking(
            move || manager.take(&call, &caller, &own),
            || LOST.to_owned(),
        )
        .await
    }

    /// Asks the user over the connection of a client that keeps one; then the call goes on with the answer.
    async fn ask_user(
        &self,
        question: &ConsentQuestion,
        call: ToolCall,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallOutcome, String> {
        let unsaid = ConsentAnswer {
            nonce: Some(question.nonce.clone()),
            word: None,
        };
        let answer = match question.params() {
            Some(params) => {
                let asked = context
                    .peer
                    .create_elicitation_with_timeout(params, Some(self.patience));
                tokio::select! {
                    asked = asked => asked.map_or(unsaid, |result| question.answered(&result)),
                    () = context.ct.cancelled() => unsaid,
                }
            }
            None => unsaid,
        };
        let told = match &answer.word {
            Some(_) => "the user was asked about the data, and has answered",
            None => "the user was asked about the data, and has said neither yes nor no",
        };
        let session = call.session.clone().or_else(|| self.own.lock().clone());
        caller.log_of(session.as_deref().unwrap_or_default(), told);
        self.ask(
            &ToolCall {
                answer: Some(answer),
                ..call
            },
            caller,
        )
        .await
    }
}

/// What a model is told where a call came to nothing.
const LOST: &str = "The dialogue could not go on. Call the tool with `new: true` to begin anew.";

/// Whether a request speaks a version of the protocol in which a server asks by holding a call up.
fn holds_up(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether the client can ask its user.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let asks = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = if self.resources.is_empty() {
            capabilities.build()
        } else {
            capabilities.enable_resources().build()
        };
        let title = format!("Instructions of {}", self.resources.name);
        let me = Implementation::new("fsmsim", env!("CARGO_PKG_VERSION")).with_title(title);
        ServerConfig::new(capabilities)
            .with_server_info(me)
            .with_instructions(self.resources.introduction.clone())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(not_understood(&request, |method| {
            !(method.starts_with("prompts/")
                || self.resources.is_empty() && method.starts_with("resources/"))
        }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == self.manager.tool().name()).then(|| self.resources.tool.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            self.resources.tool.clone(),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.manager.tool();
        if request.name != tool.name() {
            let shown = shown(&request.name);
            return Err(ErrorData::invalid_params(
                format!("there is no tool {shown}, but `{}`", tool.name()),
                None,
            ));
        }
        let wrong = |wrong: String| CallToolResult::error(vec![ContentBlock::text(wrong)]);
        let caller = Caller::of(&context.extensions);
        let mut call = match ToolCall::read(tool, request.arguments.as_ref()) {
            Ok(call) => call,
            Err(told) => return Ok(wrong(told).into()),
        };
        call.can_ask = can_ask(&context);
        if let Some((session, answer)) = ConsentAnswer::of_retry(
            request.request_state.as_deref(),
            request.input_responses.as_ref(),
        ) {
            (call.session, call.answer) = (Some(session), Some(answer));
        }
        let mut outcome = self.ask(&call, &caller).await;
        if let Ok(CallOutcome {
            question: Some(question),
            reply,
        }) = &outcome
        {
            if holds_up(&context) {
                if let Some(held_up) = question.held_up(&reply.session) {
                    return Ok(held_up.into());
                }
            } else {
                let call = ToolCall {
                    session: Some(reply.session.clone()),
                    ..call
                };
                outcome = self.ask_user(question, call, &caller, &context).await;
            }
        }
        let result = match outcome {
            Ok(CallOutcome { reply, .. }) => {
                let told = vec![ContentBlock::text(reply.text)];
                let mut result = if reply.refused {
                    CallToolResult::error(told)
                } else {
                    CallToolResult::success(told)
                };
                result.structured_content = Some(reply.parts);
                result
            }
            Err(told) => wrong(told),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<
                rmcp::model::ListResourcesRequestMethod,
            >());
        }
        Ok(ListResourcesResult::with_all_items(
            self.resources.resources(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<
                rmcp::model::ReadResourceRequestMethod,
            >());
        }
        match self.resources.read(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => {
                let data = json!({"uri": request.uri});
                Err(ErrorData::resource_not_found(
                    format!("there is nothing at {}", shown(&request.uri)),
                    Some(data),
                ))
            }
        }
    }

    // What is not declared is not answered, also where there would be nothing to tell.

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::ListResourceTemplatesResult, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<
                rmcp::model::ListResourceTemplatesRequestMethod,
            >());
        }
        Ok(rmcp::model::ListResourceTemplatesResult::default())
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
}

/// A name that anybody may have written, cut to what can be shown.
fn shown(name: &str) -> String {
    format!("`{}`", shortened(&printable(name), MAX_NAME))
}
