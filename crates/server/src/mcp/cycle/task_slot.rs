//! A task of the registry, and what is published of it.

use std::sync::Arc;

use tokio::sync::watch;

use super::agent_task::AgentTask;
use super::task_status::TaskStatus;
use crate::mcp::live_sessions::LiveSession;
use fsmsim_syntax::threads::Mutex;

/// A task that goes on.
pub(super) type LiveTask = LiveSession<TaskSlot>;

/// A task of the registry, and what is published of it.
pub(super) struct TaskSlot {
    /// The task, for one who plays it.
    pub(super) task: Mutex<AgentTask>,
    /// What is published of it.
    pub(super) view: watch::Sender<TaskView>,
}

/// What is published of a task behind each turn, so that who asks for it waits for nobody.
#[derive(Clone, Debug)]
pub(super) struct TaskView {
    pub(super) status: Arc<TaskStatus>,
    /// Each turn in a few words.
    pub(super) summaries: Vec<String>,
}

impl TaskSlot {
    /// A task, with its turns so far in a few words.
    pub(super) fn new(task: AgentTask, summaries: Vec<String>) -> Self {
        let view = TaskView {
            status: Arc::new(task.status()),
            summaries,
        };
        Self {
            task: Mutex::new(task),
            view: watch::Sender::new(view),
        }
    }

    /// Publishes how the task is now, behind a turn where one was played.
    pub(super) fn publish(&self, task: &AgentTask, summary: Option<&str>) {
        let status = Arc::new(task.status());
        self.view.send_modify(|view| {
            view.status = status;
            view.summaries.extend(summary.map(str::to_owned));
        });
    }

    /// What there is to say of it.
    pub(super) fn status(&self) -> Arc<TaskStatus> {
        Arc::clone(&self.view.borrow().status)
    }

    /// Whether it is over.
    pub(super) fn is_final(&self) -> bool {
        self.view.borrow().status.is_final
    }

    /// The names under which the work comes that is next; none where nobody works.
    pub(super) fn brings(&self) -> Vec<String> {
        self.task
            .lock()
            .brings()
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect()
    }
}
