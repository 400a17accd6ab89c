//! Where calls of tools are done.

use super::author_refusal::AuthorRefusal;
use super::author_service::AuthorService;
use super::author_sessions::AuthorSessions;
use super::fenced_project::FencedProject;
use fsmsim_syntax::threads::Threads;

/// Where calls of tools are done, several at once.
pub(super) struct AuthorDesk {
    /// What is allowed.
    pub(super) service: AuthorService,
    /// The dialogues that are played.
    pub(super) sessions: AuthorSessions,
    /// Who runs scenarios.
    pub(super) threads: Threads,
}

impl AuthorDesk {
    /// Nothing was called yet.
    pub(super) fn open(service: AuthorService) -> Result<Self, String> {
        let threads =
            Threads::new(0).map_err(|error| format!("threads cannot be started: {error}"))?;
        Ok(Self {
            service,
            sessions: AuthorSessions::default(),
            threads,
        })
    }

    /// The project as its files are now.
    pub(super) fn project_now(&self) -> Result<FencedProject, AuthorRefusal> {
        FencedProject::open(self.service.config.as_deref())
    }
}
