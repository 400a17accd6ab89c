//! Where calls of tools are done, how far one is, and what an author is served with.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::mpsc::UnboundedSender;

use super::author_answer::AuthorRefusal;
use super::author_session::AuthorSessions;
use super::fenced_project::FencedProject;
use fsmsim_syntax::threads::Threads;

/// What an author is served with. The project is that of the working directory.
#[derive(Clone, Debug, Default)]
pub struct AuthorService {
    /// The configuration root that is used instead of looking for one.
    pub config: Option<PathBuf>,
    /// Scenarios may be saved, below the folder of the project's scenarios.
    pub writes: bool,
    /// The user agrees to all that the project wants to reach.
    pub trusts: bool,
    /// The pages of the documentation: name and Markdown text.
    pub pages: &'static [(&'static str, &'static str)],
}

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

/// A call that is being answered.
pub(super) struct AuthorCall {
    pub(super) desk: Arc<AuthorDesk>,
    pub(super) progress: CallProgress,
}

/// How far a call is, and whether somebody still waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct CallProgress {
    /// Nobody waits for it any more.
    pub(super) stopped: Arc<AtomicBool>,
    /// Where its steps are told; nothing where nobody asked for that.
    pub(super) steps: Option<UnboundedSender<CallStep>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallStep {
    pub(super) done: usize,
    /// Of how many.
    pub(super) of: usize,
    /// What was done, in a few words.
    pub(super) told: String,
}

impl CallProgress {
    /// Tells a step.
    pub(super) fn step(&self, done: usize, of: usize, told: impl FnOnce() -> String) {
        if let Some(steps) = &self.steps {
            // Whoever asked may have gone.
            let _ = steps.send(CallStep {
                done,
                of,
                told: told(),
            });
        }
    }
}
