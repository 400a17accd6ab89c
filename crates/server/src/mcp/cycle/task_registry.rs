//! The tasks of a server, and the rules for their start, turns and end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::agent_task::{AgentTask, LeftTask};
use super::cycle_service::CycleService;
use super::played_task::{PlayedTask, StartedSession};
use super::task_slot::{LiveTask, TaskSlot};
use super::task_turn::TaskTurn;
use crate::http::log;
use crate::limits::MAX_TRIED_IDS;
use crate::mcp::argument_schema::listed;
use crate::mcp::dialogue_traces::DialogueTraces;
use crate::mcp::live_sessions::LiveSessions;
use fsmsim_adapters::stores::{SessionName, SessionStore, SqliteAudit, derived_id};
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::terminal::printable;
use fsmsim_syntax::threads::Mutex;

pub(super) struct TaskRegistry {
    pub service: CycleService,
    tasks: Mutex<LiveSessions<TaskSlot>>,
    /// The task that receives observations that belong to no task.
    observer: Mutex<Option<AgentTask>>,
    traces: DialogueTraces,
}

/// The dialogue name for observations that belong to no task.
const OBSERVER: &str = "observer";

impl TaskRegistry {
    /// Opens the registry, and resumes the saved tasks of an earlier server process.
    pub(super) fn open(mut service: CycleService) -> Checked<Arc<Self>> {
        let traces = DialogueTraces::new(service.trace.take());
        let registry = Self {
            service,
            tasks: Mutex::default(),
            observer: Mutex::default(),
            traces,
        };
        let mut unbegun = Vec::new();
        if let Some((file, _)) = &registry.service.sessions {
            for listed in file.list()? {
                unbegun.extend(registry.take_up(&listed.name).unwrap_or_else(|finding| {
                    log(&format!(
                        "error: task {}: cannot resume: {}",
                        listed.name, finding.title
                    ));
                    Vec::new()
                }));
            }
        }
        for (parent, started) in unbegun {
            registry.carry_out(Some(&parent), vec![started]);
        }
        Ok(Arc::new(registry))
    }

    /// Resumes a saved task. Returns the sessions that it started. Sessions of other models, and sessions that are not
    /// tasks, are skipped.
    fn take_up(&self, name: &str) -> Checked<Vec<(Arc<LiveTask>, StartedSession)>> {
        let Some((file, begun)) = &self.service.sessions else {
            return Ok(Vec::new());
        };
        let mut store = file.open(&SessionName::parse(name)?)?;
        let Some(stored) = store
            .load()?
            .filter(|stored| stored.model == begun.model && stored.given == begun.given)
        else {
            return Ok(Vec::new());
        };
        if !is_task(&mut store)? {
            return Ok(Vec::new());
        }
        let left = AgentTask::resume(&self.service, name, stored, store)?;
        let LeftTask {
            task,
            starts,
            interrupted,
            summaries,
        } = left;
        let turns = task.turns();
        let slot = self
            .tasks
            .lock()
            .begin(name, TaskSlot::new(task, summaries));
        let again = if interrupted.is_some() {
            "; the interrupted turn is run again"
        } else {
            ""
        };
        log(&format!("task {name}: resumed after {turns} turns{again}"));
        if let Some(turn) = interrupted {
            // The turn was accepted when it started. The task reports its outcome.
            let played = self.advance(&slot, &mut slot.task.lock(), &turn);
            if let Ok(played) = played {
                self.carry_out(Some(&slot), played.starts);
            }
        }
        Ok(starts
            .into_iter()
            .map(|started| (Arc::clone(&slot), started))
            .collect())
    }

    /// Submits a task. If `turn` has no ID, one is derived.
    pub(super) fn submit(&self, mut turn: TaskTurn) -> Result<Arc<LiveTask>, String> {
        self.sweep();
        let mut tasks = self.tasks.lock();
        let id = match turn.data.get("task_id").and_then(Json::as_str) {
            Some(id) if tasks.find(id).is_some() || self.is_remembered(id)? => {
                return Err(format!(
                    "The task `{id}` already exists. Get its status with task_status, or use another `task_id`."
                ));
            }
            Some(id) => id.to_owned(),
            None => self.free_id(&tasks, &turn)?,
        };
        if tasks.len() >= self.service.limits.sessions {
            let mut idle = tasks.idle(Duration::ZERO).into_iter();
            let Some(idlest) = idle.find(|slot| slot.is_final()) else {
                let most = self.service.limits.sessions;
                return Err(format!(
                    "The limit of {most} tasks is reached, and none of them has ended. Complete or cancel one."
                ));
            };
            tasks.remove(&idlest.id);
            self.end(&idlest);
        }
        turn.data.insert("task_id".to_owned(), json!(id));
        let task =
            AgentTask::new(&self.service, &id, true).map_err(|finding| unusable(&finding))?;
        self.traces
            .begin(&id, &task.runner, &self.service.setup.start);
        let slot = tasks.begin(&id, TaskSlot::new(task, Vec::new()));
        // The lock prevents other turns before the task is submitted.
        let mut task = slot.task.lock();
        drop(tasks);
        let played = self.play_locked(&slot, &mut task, &turn);
        drop(task);
        played.map(|_| slot)
    }

    /// Whether a task with this ID was submitted before, possibly to another server with the same memory.
    fn is_remembered(&self, id: &str) -> Result<bool, String> {
        SqliteAudit::new(self.service.memory.clone())
            .is_submitted(id)
            .map_err(|finding| unusable(&finding))
    }

    /// Derives an ID from the description. The same description gets the same ID in a memory that does not contain it
    /// yet.
    fn free_id(&self, tasks: &LiveSessions<TaskSlot>, turn: &TaskTurn) -> Result<String, String> {
        let description = turn
            .data
            .get("description")
            .and_then(Json::as_str)
            .unwrap_or_default();
        for number in 0..MAX_TRIED_IDS {
            let id = derived_id(&["task", description, &number.to_string()]);
            if tasks.find(&id).is_none() && !self.is_remembered(&id)? {
                return Ok(id);
            }
        }
        Err("Too many tasks have this description. Give the task a `task_id`.".to_owned())
    }

    /// The task with this ID.
    pub(super) fn find(&self, id: &str) -> Result<Arc<LiveTask>, String> {
        let tasks = self.tasks.lock();
        if let Some(slot) = tasks.find(id) {
            return Ok(slot);
        }
        let near = tasks.near(id);
        let id = printable(id);
        Err(format!(
            "Unknown task `{id}`.{near} Call task_status without `task_id` to list all tasks, or submit_task to start one."
        ))
    }

    /// All tasks, sorted by ID.
    pub(super) fn all(&self) -> Vec<Arc<LiveTask>> {
        self.tasks.lock().all()
    }

    /// Runs a turn of a task, and starts the sessions that it requests.
    pub(super) fn play(&self, slot: &Arc<LiveTask>, turn: &TaskTurn) -> Result<PlayedTask, String> {
        self.sweep();
        let mut task = slot.task.lock();
        let played = self.play_locked(slot, &mut task, turn)?;
        drop(task);
        self.carry_out(Some(slot), played.starts.clone());
        Ok(played)
    }

    fn play_locked(
        &self,
        slot: &LiveTask,
        task: &mut AgentTask,
        turn: &TaskTurn,
    ) -> Result<PlayedTask, String> {
        let id = &slot.id;
        if task.is_final() {
            let state = task.status().state;
            return Err(format!(
                "The task `{id}` has ended in `{state}`. Get its status with task_status, or submit another task."
            ));
        }
        let most = self.service.limits.calls;
        if task.turns() >= most && !ENDS.contains(&&*turn.event) {
            return Err(format!(
                "The task `{id}` has reached its limit of {most} turns. Cancel it."
            ));
        }
        if turn.event == "tick"
            && turn.data.is_empty()
            && task.is_asked()
            && self.service.answerers.is_none()
        {
            return Err(format!(
                "The server has no workers: give the output of the work as `output`, with at least one of {}.",
                listed(&task.brings().unwrap_or_default())
            ));
        }
        self.advance(slot, task, turn)
    }

    fn advance(
        &self,
        slot: &LiveTask,
        task: &mut AgentTask,
        turn: &TaskTurn,
    ) -> Result<PlayedTask, String> {
        let played = task.play(turn);
        slot.touch();
        let (played, record) = played.inspect_err(|_| slot.publish(task, None))?;
        log(&format!("task {}: {}", slot.id, played.summary));
        self.traces.write(&slot.id, &record);
        slot.publish(task, Some(&played.summary));
        Ok(played)
    }

    /// Starts the sessions that a task requested, unless they exist. The task reports failures. Returns the IDs of
    /// started sessions.
    fn carry_out(&self, slot: Option<&Arc<LiveTask>>, started: Vec<StartedSession>) -> Vec<String> {
        let mut begun = Vec::new();
        for StartedSession { id, submit } in started {
            let is_there =
                self.tasks.lock().find(&id).is_some() || self.is_remembered(&id).unwrap_or(false);
            let outcome = if is_there {
                Ok(())
            } else {
                self.submit(submit).map(|_| {
                    log(&format!(
                        "task {id}: requested by another task or an observation"
                    ));
                })
            };
            if let Some(slot) = slot {
                let mut task = slot.task.lock();
                match &outcome {
                    Ok(()) => task.began(&id),
                    Err(why) => task.note_fault("new_session", why),
                }
                slot.publish(&task, None);
            }
            match outcome {
                Ok(()) => begun.push(id),
                Err(why) => log(&format!("refused: a requested session: {why}")),
            }
        }
        begun
    }

    /// Accepts an observation that belongs to no task. Returns the sessions that it started.
    pub(super) fn observe(&self, turn: &TaskTurn) -> Result<(PlayedTask, Vec<String>), String> {
        self.sweep();
        let mut observer = self.observer.lock();
        if observer.is_none() {
            let task = AgentTask::new(&self.service, OBSERVER, false)
                .map_err(|finding| unusable(&finding))?;
            self.traces
                .begin(OBSERVER, &task.runner, &self.service.setup.start);
            *observer = Some(task);
        }
        let Some(task) = observer.as_mut() else {
            return Err("The server accepts no observations.".to_owned());
        };
        let (played, record) = task.play(turn)?;
        log(&format!("{OBSERVER}: {}", played.summary));
        self.traces.write(OBSERVER, &record);
        drop(observer);
        let begun = self.carry_out(None, played.starts.clone());
        Ok((played, begun))
    }

    /// Ends idle tasks: a finished task is removed, any other one times out unless tasks are saved.
    fn sweep(&self) {
        let idle = self.tasks.lock().idle(self.service.limits.idle);
        let (over, open): (Vec<_>, Vec<_>) = idle.into_iter().partition(|slot| slot.is_final());
        for slot in over {
            log(&format!("task {}: removed: idle for too long", slot.id));
            self.tasks.lock().remove(&slot.id);
            self.end(&slot);
        }
        for slot in open.into_iter().filter(|_| self.service.sessions.is_none()) {
            log(&format!("task {}: timed out: idle for too long", slot.id));
            // A locked task is in use, so it is not idle.
            if let Some(mut task) = slot.task.try_lock() {
                let _ = self.play_locked(&slot, &mut task, &TaskTurn::of("timeout", None));
            }
        }
    }

    /// Writes the end of a task to the trace.
    fn end(&self, slot: &LiveTask) {
        self.traces.end(&slot.id, slot.task.lock().turns());
    }

    /// Ends all traces.
    pub(super) fn close(&self) -> io::Result<()> {
        for slot in self.all() {
            self.end(&slot);
        }
        if let Some(observer) = &*self.observer.lock() {
            self.traces.end(OBSERVER, observer.turns());
        }
        self.traces.close()
    }
}

/// Events that a task always accepts.
const ENDS: [&str; 2] = ["cancel", "timeout"];

/// Whether a session is a task whose ID is the session name. A task that was killed before its submission cannot be
/// resumed.
fn is_task(store: &mut SessionStore) -> Checked<bool> {
    let named = |data: Option<&Json>| {
        data.and_then(|data| data.get("task_id")?.as_str())
            .map(str::to_owned)
    };
    let submitted = match store.records()?.first() {
        Some(record) => named(
            TurnReport::read(record)
                .unwrap_or_default()
                .input
                .get("data"),
        ),
        None => {
            let turn = store
                .interrupted()?
                .and_then(|turn| TaskTurn::read(&turn.line));
            turn.and_then(|turn| named(Some(&Json::Object(turn.data))))
        }
    };
    Ok(submitted.as_deref() == Some(store.name()))
}

/// The error if a store is invalid.
fn unusable(finding: &Diagnostic) -> String {
    format!(
        "{}. Nothing has changed: try again, or stop the server and check its files.",
        finding.title
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::mcp::ServerLimits;
    use crate::mcp::cycle::task_turn::SUBMIT;
    use fsmsim_adapters::stores::MemoryFile;
    use fsmsim_core::machine::Profile;
    use fsmsim_runtime::project::ModelCache;
    use fsmsim_runtime::runtime::DialogueSetup;

    fn registry(limits: ServerLimits) -> Arc<TaskRegistry> {
        let flow = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../flows/agent_cycle.yaml");
        let machine = ModelCache::default()
            .load(&flow, Profile::Documented)
            .unwrap();
        let setup = DialogueSetup::parse(&machine, "").unwrap();
        let memory = MemoryFile::volatile().unwrap();
        let service = CycleService {
            machine,
            setup,
            answerers: None,
            memory,
            sessions: None,
            limits,
            trace: None,
            access: None,
        };
        TaskRegistry::open(service).unwrap()
    }

    fn submit(id: &str) -> TaskTurn {
        TaskTurn::of(SUBMIT, None)
            .bringing("task_id", json!(id))
            .bringing("description", json!("x"))
    }

    #[test]
    fn idle_tasks_are_timed_out_and_then_forgotten() {
        let registry = registry(ServerLimits {
            sessions: 10,
            idle: Duration::ZERO,
            calls: 10,
        });
        let slot = registry.submit(submit("a")).unwrap();
        assert_eq!(slot.status().state, "analyze");
        registry.sweep();
        assert_eq!(json!(*slot.status())["failed_by"], "timeout");
        registry.sweep();
        assert!(registry.all().is_empty());
        let again = registry.submit(submit("a")).err().unwrap();
        assert!(again.starts_with("The task `a` already exists."), "{again}");
    }

    #[test]
    fn a_task_at_its_turn_limit_can_be_canceled() {
        let registry = registry(ServerLimits {
            sessions: 10,
            idle: Duration::MAX,
            calls: 2,
        });
        let slot = registry.submit(submit("a")).unwrap();
        let seen = TaskTurn::of("observe", None).bringing("signal", json!("red"));
        registry.play(&slot, &seen).unwrap();
        let more = registry.play(&slot, &seen).unwrap_err();
        assert_eq!(
            more,
            "The task `a` has reached its limit of 2 turns. Cancel it."
        );
        registry.play(&slot, &TaskTurn::of("cancel", None)).unwrap();
        assert!(slot.is_final());
    }
}
