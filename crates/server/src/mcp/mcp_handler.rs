//! Routes requests on a connection to the session manager. Without stored connections, each request has its own
//! handler.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ErrorData, ProtocolVersion, Resource, ResourceContents, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use super::argument_schema::no_such;
use super::call::ToolCall;
use super::caller::Caller;
use super::consent_question::{ConsentAnswer, ConsentQuestion};
use super::mcp_session::PlayedCall;
use super::protocol_handler::{CallFuture, ServedDesk, blocking};
use super::resources::Resources;
use super::session_manager::{OwnSession, SessionManager};
use super::typed_tool::call_result;

/// Routes requests to the session manager.
pub(super) struct McpHandler {
    pub resources: Arc<Resources>,
    pub manager: Arc<SessionManager>,
    /// The time that a user has to answer a question.
    pub patience: Duration,
    /// The dialogue of this connection, for calls that name no dialogue.
    pub own: Arc<OwnSession>,
}

impl McpHandler {
    /// Runs a call on a separate thread, so that other requests can be served.
    async fn ask(&self, call: &ToolCall, caller: &Caller) -> Result<PlayedCall, String> {
        let manager = Arc::clone(&self.manager);
        let own = Arc::clone(&self.own);
        let call = call.clone();
        let caller = caller.clone();
        blocking(
            move || manager.take(&call, &caller, &own),
            || LOST.to_owned(),
        )
        .await
    }

    /// Asks the user over a stored connection, then continues the call with the answer.
    async fn ask_user(
        &self,
        question: &ConsentQuestion,
        call: ToolCall,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Result<PlayedCall, String> {
        let unsaid = ConsentAnswer {
            nonce: question.nonce.clone(),
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
        let event = match &answer.word {
            Some(_) => "the user answered the consent question",
            None => "the user did not answer the consent question",
        };
        let session = call.session.clone().or_else(|| self.own.lock().clone());
        caller.log_of(session.as_deref().unwrap_or_default(), event);
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

/// The error for the LLM if a call fails.
const LOST: &str =
    "The dialogue cannot continue. Call the tool with `new: true` to start a new one.";

/// Whether the protocol version lets a server ask the user through an incomplete result.
fn holds_up(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether the client supports elicitation.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let asks = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation);
    asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}

impl ServedDesk for McpHandler {
    fn title(&self) -> String {
        format!("Instructions of {}", self.resources.name)
    }

    fn introduction(&self) -> String {
        self.resources.introduction.clone()
    }

    fn tools(&self) -> Vec<Tool> {
        vec![self.resources.tool.clone()]
    }

    fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallFuture<'_> {
        Box::pin(async move {
            let tool = self.manager.tool;
            if request.name != tool.name() {
                let error = no_such("tool", &request.name, &[tool.name()]);
                return Err(ErrorData::invalid_params(error, None));
            }
            let wrong = |error| call_result(error, None, true);
            let caller = Caller::of(&context.extensions);
            let mut call = match ToolCall::read(&self.resources.tool, request.arguments.as_ref()) {
                Ok(call) => call,
                Err(error) => return Ok(wrong(error).into()),
            };
            call.can_ask = can_ask(&context);
            if let Some((session, answer)) = ConsentAnswer::of_retry(
                request.request_state.as_deref(),
                request.input_responses.as_ref(),
            ) {
                call.session = Some(session);
                call.answer = Some(answer);
            }
            let mut outcome = self.ask(&call, &caller).await;
            if let Ok(PlayedCall {
                question: Some(question),
                reply,
                ..
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
                Ok(PlayedCall { reply, .. }) => {
                    call_result(reply.text, Some(reply.parts), reply.refused)
                }
                Err(error) => wrong(error),
            };
            Ok(result.into())
        })
    }

    fn has_resources(&self) -> bool {
        !self.resources.is_empty()
    }

    fn resources(&self) -> Vec<Resource> {
        self.resources.resources()
    }

    fn read(&self, address: &str) -> Result<Vec<ResourceContents>, Option<String>> {
        let contents = self.resources.read(address).ok_or(None)?;
        Ok(vec![contents])
    }
}
