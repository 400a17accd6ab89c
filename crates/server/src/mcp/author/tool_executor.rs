//! The context of tool calls: service settings, dialogues, progress.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::mpsc::UnboundedSender;

use super::author_answer::AuthorRefusal;
use super::author_session::AuthorSessions;
use super::fenced_project::FencedProject;
use fsmsim_syntax::threads::Threads;

/// The settings of the authoring server. It serves the project in the working directory.
#[derive(Clone, Debug, Default)]
pub struct AuthorService {
    /// The configuration root; by default, the server searches for it.
    pub config: Option<PathBuf>,
    /// Whether scenarios can be saved in the scenario folder of the project.
    pub writes: bool,
    /// Whether the user trusts all external services of the project.
    pub trusts: bool,
    /// The pages of the documentation: name and Markdown text.
    pub pages: &'static [(&'static str, &'static str)],
}

/// Executes tool calls, several at the same time.
pub(super) struct ToolExecutor {
    pub service: AuthorService,
    /// The dialogues in progress.
    pub sessions: AuthorSessions,
    /// The threads that run scenarios.
    pub threads: Threads,
}

impl ToolExecutor {
    /// Creates an executor without dialogues.
    pub(super) fn open(service: AuthorService) -> Result<Self, String> {
        let threads = Threads::new(0).map_err(|error| format!("cannot start threads: {error}"))?;
        Ok(Self {
            service,
            sessions: AuthorSessions::default(),
            threads,
        })
    }

    /// Loads the project from its current files.
    pub(super) fn project_now(&self) -> Result<FencedProject, AuthorRefusal> {
        FencedProject::open(self.service.config.as_deref())
    }
}

/// A call in progress.
pub(super) struct AuthorCall {
    pub desk: Arc<ToolExecutor>,
    pub progress: CallProgress,
}

/// The progress of a call, and whether the client still waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct CallProgress {
    /// Whether the call was canceled.
    pub stopped: Arc<AtomicBool>,
    /// The channel for progress steps; `None` if the client did not request progress.
    pub steps: Option<UnboundedSender<CallStep>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallStep {
    pub done: usize,
    /// The total number of steps.
    pub of: usize,
    /// A short description of the step.
    pub text: String,
}

impl CallProgress {
    /// Reports a step.
    pub(super) fn step(&self, done: usize, of: usize, text: impl FnOnce() -> String) {
        if let Some(steps) = &self.steps {
            // The client might have canceled the call.
            let _ = steps.send(CallStep {
                done,
                of,
                text: text(),
            });
        }
    }
}
