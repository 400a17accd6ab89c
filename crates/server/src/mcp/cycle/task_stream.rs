//! Follows a task to its end; if the server has workers, it also drives the task.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::watch;

use super::task_registry::TaskRegistry;
use super::task_slot::{LiveTask, TaskView};
use super::task_turn::TaskTurn;
use crate::mcp::protocol_handler::report_progress;

/// A task to follow, and the limits for following it.
pub(super) struct FollowedTask {
    pub slot: Arc<LiveTask>,
    /// The number of turns that are already reported.
    pub reported: usize,
    pub turns: u64,
    pub wait: Duration,
    pub at: Option<String>,
}

/// Defaults: the maximum number of turns, and seconds to wait for a turn.
pub(super) const TURNS: u64 = 100;
pub(super) const WAIT: u64 = 60;

impl FollowedTask {
    /// Follows a task and also reports the turns that have already run.
    pub(super) fn from_its_beginning(slot: Arc<LiveTask>, at: Option<&str>) -> Self {
        Self {
            slot,
            reported: 0,
            turns: TURNS,
            wait: Duration::from_secs(WAIT),
            at: at.map(str::to_owned),
        }
    }
}

pub(super) struct TaskStream {
    registry: Arc<TaskRegistry>,
    task: FollowedTask,
    view: watch::Receiver<TaskView>,
    context: RequestContext<RoleServer>,
}

impl TaskStream {
    /// Follows a task from its current turn.
    pub(super) fn new(
        registry: Arc<TaskRegistry>,
        task: FollowedTask,
        context: RequestContext<RoleServer>,
    ) -> Self {
        let view = task.slot.view.subscribe();
        Self {
            registry,
            task,
            view,
            context,
        }
    }

    /// Continues until the task ends, a limit is reached, or the client cancels.
    pub(super) async fn run(mut self) -> Result<(), String> {
        let drives = self.registry.service.answerers.is_some();
        let mut left = self.task.turns;
        loop {
            self.report().await;
            if self.view.borrow().status.is_final || self.context.ct.is_cancelled() {
                return Ok(());
            }
            if drives {
                if left == 0 || self.tick().await? {
                    self.report().await;
                    return Ok(());
                }
                left -= 1;
            } else {
                tokio::select! {
                    changed = tokio::time::timeout(self.task.wait, self.view.changed()) => {
                        if !matches!(changed, Ok(Ok(()))) {
                            return Ok(());
                        }
                    }
                    () = self.context.ct.cancelled() => return Ok(()),
                }
            }
        }
    }

    /// Runs one turn of the task. Returns whether it had no effect.
    async fn tick(&self) -> Result<bool, String> {
        let registry = Arc::clone(&self.registry);
        let slot = Arc::clone(&self.task.slot);
        let turn = TaskTurn::of("tick", self.task.at.as_deref());
        let played = tokio::task::spawn_blocking(move || registry.play(&slot, &turn)).await;
        match played {
            Ok(Ok(played)) => Ok(played.is_stuck || played.is_refused),
            // Another caller has ended the task.
            Ok(Err(_)) if self.task.slot.is_final() => Ok(true),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(format!(
                "The task `{}` cannot continue. Get its status with task_status.",
                self.task.slot.id
            )),
        }
    }

    /// Reports new turns, each once and in order.
    async fn report(&mut self) {
        let new: Vec<String> = self
            .view
            .borrow_and_update()
            .summaries
            .iter()
            .skip(self.task.reported)
            .cloned()
            .collect();
        for summary in new {
            self.task.reported += 1;
            report_progress(&self.context, self.task.reported, None, summary).await;
        }
    }
}
