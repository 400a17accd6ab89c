//! Connects the MCP protocol with the authoring tools.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, GetPromptResult, Prompt, Resource,
    ResourceContents, ResourceTemplate, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use strum::VariantArray;
use tokio::sync::mpsc::unbounded_channel;

use super::author_answer::{Answered, AuthorAnswer, AuthorRefusal};
use super::author_prompt::AuthorPrompt;
use super::author_resources;
use super::tool_executor::{AuthorCall, CallProgress, ToolExecutor};
use super::tools::AuthorTools;
use crate::mcp::protocol_handler::{CallFuture, ServedDesk, report_progress};

/// Connects the MCP protocol with the authoring tools. Each call runs on a separate thread.
pub(super) struct AuthorHandler {
    pub desk: Arc<ToolExecutor>,
    pub tools: Arc<AuthorTools>,
}

/// The instructions that a client receives from the server.
const INTRODUCTION: &str = "fsmsim simulates and tests dialogues (flows, interviews, contracts, agent cycles, Markdown state sets). \
                            Edit the files with your own tools; the tools of this server use the current files. Call lint after \
                            each edit. Run turns with play, and call why or why_not if a result is unexpected. save_scenario \
                            saves a dialogue as a test; test runs the scenarios. Paths are relative to the project directory. The \
                            resources fsmsim://docs/explanation/flows, \
                            fsmsim://docs/how-to/write-scenarios and fsmsim://schemas/flow describe the formats.";

impl AuthorHandler {
    /// Runs a call on a separate thread, reports its progress, and abandons it if the client cancels.
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Answered {
        let (sender, mut steps) = unbounded_channel();
        let has_progress = context.meta.get_progress_token().is_some();
        let progress = CallProgress {
            steps: has_progress.then_some(sender),
            ..CallProgress::default()
        };
        let tools = Arc::clone(&self.tools);
        let desk = Arc::clone(&self.desk);
        let to = AuthorCall {
            desk,
            progress: progress.clone(),
        };
        let call = move || tools.call(&request, &to);
        let mut call = tokio::task::spawn_blocking(call);
        let stopped = Arc::clone(&progress.stopped);
        drop(progress);
        let lost = |_| Err(AuthorRefusal::from("the call failed; try again"));
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(AuthorRefusal::from("the call was canceled"));
                }
                Some(step) = steps.recv() => {
                    report_progress(context, step.done, Some(step.of), step.text).await;
                }
                done = &mut call => return done.unwrap_or_else(lost),
            }
        }
    }
}

impl ServedDesk for AuthorHandler {
    fn title(&self) -> String {
        "fsmsim: simulate and test dialogues".to_owned()
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
            let answer = self.answer(request, &context).await;
            Ok(answer.unwrap_or_else(AuthorAnswer::from).result().into())
        })
    }

    fn has_resources(&self) -> bool {
        true
    }

    fn resources(&self) -> Vec<Resource> {
        author_resources::resources(&self.desk)
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        author_resources::templates()
    }

    fn read(&self, address: &str) -> Result<Vec<ResourceContents>, Option<String>> {
        author_resources::read(&self.desk, address).map_err(|why| Some(why.text))
    }

    fn prompts(&self) -> Vec<Prompt> {
        AuthorPrompt::VARIANTS
            .iter()
            .map(|prompt| prompt.listed())
            .collect()
    }

    fn prompt(&self, request: &GetPromptRequestParams) -> Result<GetPromptResult, String> {
        AuthorPrompt::filled(&request.name, request.arguments.as_ref())
    }
}
