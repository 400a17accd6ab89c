//! A task in the registry and its published status.

use std::sync::Arc;

use tokio::sync::watch;

use super::agent_task::AgentTask;
use super::task_status::TaskStatus;
use crate::mcp::live_sessions::LiveSession;
use fsmsim_syntax::threads::Mutex;

/// A task in the registry.
pub(super) type LiveTask = LiveSession<TaskSlot>;

/// A task in the registry and its published status.
pub(super) struct TaskSlot {
    /// The task; locked while a turn runs.
    pub task: Mutex<AgentTask>,
    pub view: watch::Sender<TaskView>,
}

/// The status of a task after each turn. Status queries read it without waiting for a running turn.
#[derive(Clone, Debug)]
pub(super) struct TaskView {
    pub status: Arc<TaskStatus>,
    /// A short summary of each turn.
    pub summaries: Vec<String>,
}

impl TaskSlot {
    /// A task with the summaries of its turns.
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

    /// Publishes the current status and, after a turn, its summary.
    pub(super) fn publish(&self, task: &AgentTask, summary: Option<&str>) {
        let status = Arc::new(task.status());
        self.view.send_modify(|view| {
            view.status = status;
            view.summaries.extend(summary.map(str::to_owned));
        });
    }

    /// The current status.
    pub(super) fn status(&self) -> Arc<TaskStatus> {
        Arc::clone(&self.view.borrow().status)
    }

    /// Whether the task has ended.
    pub(super) fn is_final(&self) -> bool {
        self.view.borrow().status.is_final
    }

    /// The output names of the next work; empty if no worker is needed.
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
