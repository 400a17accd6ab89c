//! A task that is followed to its end, and driven there where somebody works for the server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::watch;

use super::task_registry::TaskRegistry;
use super::task_slot::{LiveTask, TaskView};
use super::task_turn::TaskTurn;
use crate::mcp::protocol_handler::tell_progress;

/// A task that is to be followed, and how far.
pub(super) struct FollowedTask {
    pub(super) slot: Arc<LiveTask>,
    /// Turns of which has been told.
    pub(super) told: usize,
    pub(super) turns: u64,
    pub(super) wait: Duration,
    pub(super) at: Option<String>,
}

/// Turns that are driven, and seconds that are waited for one, unless said.
pub(super) const TURNS: u64 = 100;
pub(super) const WAIT: u64 = 60;

impl FollowedTask {
    /// A task of which also the turns so far are told.
    pub(super) fn from_its_beginning(slot: Arc<LiveTask>, at: Option<&str>) -> Self {
        Self {
            slot,
            told: 0,
            turns: TURNS,
            wait: Duration::from_secs(WAIT),
            at: at.map(str::to_owned),
        }
    }
}

/// A task that is followed to its end.
pub(super) struct TaskStream {
    registry: Arc<TaskRegistry>,
    task: FollowedTask,
    view: watch::Receiver<TaskView>,
    context: RequestContext<RoleServer>,
}

impl TaskStream {
    /// Follows a task from now on.
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

    /// Goes on until the task is over, nobody goes on with it, or the client has heard enough.
    pub(super) async fn run(mut self) -> Result<(), String> {
        let drives = self.registry.service.answerers.is_some();
        let mut left = self.task.turns;
        loop {
            self.tell().await;
            if self.view.borrow().status.is_final || self.context.ct.is_cancelled() {
                return Ok(());
            }
            if drives {
                if left == 0 || self.tick().await? {
                    self.tell().await;
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

    /// Drives the task by one turn; whether nothing came of it.
    async fn tick(&self) -> Result<bool, String> {
        let (registry, slot) = (Arc::clone(&self.registry), Arc::clone(&self.task.slot));
        let turn = TaskTurn::of("tick", self.task.at.as_deref());
        let played = tokio::task::spawn_blocking(move || registry.play(&slot, &turn)).await;
        match played {
            Ok(Ok(played)) => Ok(played.is_stuck || played.is_refused),
            // Somebody else has ended it meanwhile.
            Ok(Err(_)) if self.task.slot.is_final() => Ok(true),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(format!(
                "The task `{}` could not go on. Ask for it by task_status.",
                self.task.slot.id
            )),
        }
    }

    /// Tells of the turns of which has not been told, each once and in order.
    async fn tell(&mut self) {
        let new: Vec<String> = self
            .view
            .borrow_and_update()
            .summaries
            .iter()
            .skip(self.task.told)
            .cloned()
            .collect();
        for summary in new {
            self.task.told += 1;
            tell_progress(&self.context, self.task.told, None, summary).await;
        }
    }
}
