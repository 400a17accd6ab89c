//! Where calls of tools are done.

use strum::VariantArray;

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::author_answer::Answered;
use super::author_refusal::AuthorRefusal;
use super::author_service::AuthorService;
use super::author_sessions::AuthorSessions;
use super::author_tool::AuthorTool;
use super::call_progress::CallProgress;
use super::fenced_project::FencedProject;
use super::tools;
use crate::mcp::argument_schema::ArgumentSchema;
use fsmsim_syntax::threads::Threads;

/// Where calls of tools are done, several at once.
pub(super) struct AuthorDesk {
    /// What is allowed.
    pub(super) service: AuthorService,
    /// The dialogues that are played.
    pub(super) sessions: AuthorSessions,
    /// Who runs scenarios.
    pub(super) threads: Threads,
    schemas: Vec<(AuthorTool, ArgumentSchema)>,
}

impl AuthorDesk {
    /// Nothing was called yet.
    ///
    /// # Errors
    /// Why nothing can be.
    pub(super) fn open(service: AuthorService) -> Result<Self, String> {
        let threads =
            Threads::new(0).map_err(|error| format!("threads cannot be started: {error}"))?;
        let schemas = AuthorTool::VARIANTS
            .iter()
            .map(|tool| Ok((*tool, ArgumentSchema::new(tool.name(), tool.schema())?)));
        let schemas = schemas.collect::<Result<_, String>>()?;
        Ok(Self {
            service,
            sessions: AuthorSessions::default(),
            threads,
            schemas,
        })
    }

    /// Does what a tool is called for.
    ///
    /// # Errors
    /// Why that cannot be done, for the model.
    pub(super) fn answer(
        &self,
        tool: AuthorTool,
        given: Option<&JsonObject>,
        progress: &CallProgress,
    ) -> Answered {
        let schema = self.schemas.iter().find(|(known, _)| *known == tool);
        let given = schema.map_or(Ok(JsonObject::default()), |(_, schema)| schema.read(given))?;
        match tool {
            AuthorTool::Models => Ok(tools::models(&self.project_now()?)),
            AuthorTool::Scenarios => tools::scenarios(&read(given)?, &self.project_now()?),
            AuthorTool::Lint => tools::lint(&read(given)?, &self.project_now()?),
            AuthorTool::Explain => tools::explain(&read(given)?),
            AuthorTool::Graph => tools::graph(&read(given)?, &self.project_now()?),
            AuthorTool::Conditions => tools::conditions(&read(given)?, self, &self.project_now()?),
            AuthorTool::Play => tools::play(&read(given)?, self, &self.project_now()?),
            AuthorTool::Why => tools::why(&read(given)?, self),
            AuthorTool::WhyNot => tools::why_not(&read(given)?, self),
            AuthorTool::SaveScenario => {
                tools::save_scenario(&read(given)?, self, &self.project_now()?)
            }
            AuthorTool::Test => tools::test(&read(given)?, self, self.project_now()?, progress),
            AuthorTool::Coverage => {
                tools::coverage(&read(given)?, self, self.project_now()?, progress)
            }
            AuthorTool::Diff => tools::diff(&read(given)?, self, &self.project_now()?),
            AuthorTool::Schema => tools::schema(&read(given)?),
        }
    }

    /// The project as its files are now.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub(super) fn project_now(&self) -> Result<FencedProject, AuthorRefusal> {
        FencedProject::open(self.service.config.as_deref())
    }
}

/// Arguments that fit their schema.
fn read<T: DeserializeOwned>(given: JsonObject) -> Result<T, AuthorRefusal> {
    serde_json::from_value(Json::Object(given))
        .map_err(|error| format!("the arguments cannot be read: {error}").into())
}
