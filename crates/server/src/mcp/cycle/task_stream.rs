//! A task that is followed to its end, and driven there where somebody works for the server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::watch;

use super::task_registry::TaskRegistry;
use super::task_slot::{TaskSlot, TaskView};
use super::task_turn::TaskTurn;
use super::tool_arguments::ToolArguments;

/// A task that is followed to its end.
pub(super) struct TaskStream {
    registry: Arc<TaskRegistry>,
    slot: Arc<TaskSlot>,
    view: watch::Receiver<TaskView>,
    context: RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    /// Turns of which has been told.
    told: usize,
}

/// Turns that are driven, and seconds that are waited for one, unless said.
const TURNS: u64 = 100;
const WAIT: u64 = 60;

impl TaskStream {
    /// Follows a task from now on.
    pub(super) fn new(
        registry: Arc<TaskRegistry>,
        slot: Arc<TaskSlot>,
        context: RequestContext<RoleServer>,
    ) -> Self {
        let view = slot.view.subscribe();
        let told = view.borrow().summaries.len();
        let token = context.meta.get_progress_token();
        Self {
            registry,
            slot,
            view,
            context,
            token,
            told,
        }
    }

    /// The task.
    pub(super) fn slot(&self) -> Arc<TaskSlot> {
        Arc::clone(&self.slot)
    }

    /// The same, telling also of the turns so far.
    pub(super) fn with_turns_so_far(mut self) -> Self {
        self.told = 0;
        self
    }

    /// Goes on until the task is over, nobody goes on with it, or the client has heard enough.
    ///
    /// # Errors
    /// Why it cannot go on, for the client.
    pub(super) async fn run(mut self, given: &ToolArguments) -> Result<(), String> {
        let drives = self.registry.service.answerers.is_some();
        let mut left = given.number("turns").unwrap_or(TURNS);
        let wait = Duration::from_secs(given.number("wait_s").unwrap_or(WAIT));
        loop {
            self.tell().await;
            if self.view.borrow().status.is_final || self.context.ct.is_cancelled() {
                return Ok(());
            }
            if drives {
                if left == 0 || self.tick(given.text("at")).await? {
                    self.tell().await;
                    return Ok(());
                }
                left -= 1;
            } else {
                tokio::select! {
                    changed = tokio::time::timeout(wait, self.view.changed()) => {
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
    async fn tick(&self, at: Option<&str>) -> Result<bool, String> {
        let (registry, slot) = (Arc::clone(&self.registry), Arc::clone(&self.slot));
        let turn = TaskTurn::of("tick", at);
        let played = tokio::task::spawn_blocking(move || registry.play(&slot, &turn)).await;
        match played {
            Ok(Ok(played)) => Ok(played.is_stuck || played.is_refused),
            // Somebody else has ended it meanwhile.
            Ok(Err(_)) if self.slot.is_final() => Ok(true),
            Ok(Err(why)) => Err(why),
            Err(_) => Err(format!(
                "The task `{}` could not go on. Ask for it by task_status.",
                self.slot.id
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
            .skip(self.told)
            .cloned()
            .collect();
        for summary in new {
            self.told += 1;
            let Some(token) = self.token.clone() else {
                continue;
            };
            let progress = f64::from(u32::try_from(self.told).unwrap_or(u32::MAX));
            let told = ProgressNotificationParam::new(token, progress).with_message(summary);
            // A client that has gone hears nothing of it.
            let _ = self.context.peer.notify_progress(told).await;
        }
    }
}
