//! Where calls of tools are done.

use strum::VariantArray;

use super::author_refusal::AuthorRefusal;
use super::author_service::AuthorService;
use super::author_sessions::AuthorSessions;
use super::author_tool::AuthorTool;
use super::fenced_project::FencedProject;
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
    pub(super) schemas: Vec<(AuthorTool, ArgumentSchema)>,
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

    /// The project as its files are now.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub(super) fn project_now(&self) -> Result<FencedProject, AuthorRefusal> {
        FencedProject::open(self.service.config.as_deref())
    }
}
