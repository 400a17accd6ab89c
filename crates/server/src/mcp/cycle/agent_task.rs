//! A task: one dialogue with an agent cycle.

use std::sync::Arc;

use serde_json::Value as Json;

use super::cycle_service::CycleService;
use super::played_task::{PlayedTask, StartedSession};
use super::task_status::{DriverNotes, TaskFault, TaskStatus};
use super::task_turn::{OBSERVE, SUBMIT, TaskTurn};
use crate::limits::MAX_TASK_FAULTS;
use fsmsim_adapters::llm::DialogueKey;
use fsmsim_adapters::stores::{
    Audit, Memory, MemoryFile, SessionId, SessionName, SessionStore, SqliteAudit, SqliteMemory,
    StoredSession, derived_id,
};
use fsmsim_core::engine::policy::StateWorker;
use fsmsim_core::trace::{JsonLine, TurnReport};
use fsmsim_runtime::runtime::{
    AuditedJournal, DialogueRunner, Journal, SessionJournal, audited_turn,
};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// A task: one dialogue with an agent cycle. One caller at a time runs turns.
pub(super) struct AgentTask {
    id: String,
    pub runner: DialogueRunner,
    journal: Box<dyn Journal>,
    memory: MemoryFile,
    /// Notes about the task that are not part of the dialogue.
    driver: DriverNotes,
    /// Why the task cannot continue.
    broken: Option<String>,
}

/// A task that an earlier server process saved.
pub(super) struct LeftTask {
    pub task: AgentTask,
    /// The sessions that its turns started.
    pub starts: Vec<StartedSession>,
    pub interrupted: Option<TaskTurn>,
    /// A short summary of each turn.
    pub summaries: Vec<String>,
}

impl AgentTask {
    /// Creates a task that is not submitted yet. The task is saved if `is_kept`.
    pub(super) fn new(service: &CycleService, id: &str, is_kept: bool) -> Checked<Self> {
        let kept = service.sessions.as_ref().filter(|_| is_kept);
        let store = kept
            .map(|(file, _)| file.open(&SessionName::parse(id)?))
            .transpose()?
            .map(unbegun)
            .transpose()?;
        let session = SqliteMemory::new(service.memory.clone()).begin(&SessionId::of(id))?;
        let mut task = Self::in_memory(service, id);
        let memory = task.fresh_memory();
        task.runner = task.runner.known_as(session).remembering(memory);
        if let Some((store, (_, begun))) = store.zip(kept) {
            task.journal = Box::new(SessionJournal::begin(store, begun.clone(), &task.runner)?);
        }
        Ok(task)
    }

    /// Resumes a task that an earlier server process saved.
    ///
    /// # Errors
    /// Returns a finding if a record is invalid or does not fit the current model.
    pub(super) fn resume(
        service: &CycleService,
        id: &str,
        stored: StoredSession,
        mut store: SessionStore,
    ) -> Checked<LeftTask> {
        let interrupted = store.interrupted()?.map(|turn| {
            TaskTurn::read(&turn.line).ok_or_else(|| {
                let finding = store.unusable("the interrupted turn was typed in the REPL");
                Box::new(finding.help("resume it with `fsmsim run --session`"))
            })
        });
        let interrupted = interrupted.transpose()?;
        let (journal, left) = SessionJournal::resume(store, stored, &service.machine)?;
        let mut task = Self::in_memory(service, id);
        task.runner.go_on(&left);
        task.runner.remember_from_now(task.fresh_memory());
        if !SqliteAudit::new(service.memory.clone()).knows(&task.runner.id().text())? {
            return Err(service.memory.other().into());
        }
        let audit = Box::new(SqliteAudit::new(service.memory.clone()));
        // If the last turn is missing in the audit, it is added now.
        AuditedJournal::over(
            Box::new(()),
            audit,
            &task.runner,
            left.records.iter().map(String::as_str),
        )?;
        let mut starts = Vec::new();
        let mut summaries = Vec::new();
        for record in left
            .records
            .iter()
            .filter_map(|record| TurnReport::read(record))
        {
            let played = PlayedTask::of(&task.runner.id().text(), &record, None);
            task.submitted(record.input.get("data"));
            task.note(played.faults);
            summaries.push(played.summary);
            starts.extend(played.starts);
        }
        if !task.is_final() {
            task.journal = Box::new(journal);
        }
        Ok(LeftTask {
            task,
            starts,
            interrupted,
            summaries,
        })
    }

    fn in_memory(service: &CycleService, id: &str) -> Self {
        let mut runner = service.setup.clone().runner(&service.machine);
        if let Some(answerers) = &service.answerers {
            runner.ask_from_now(answerers.answerer(&DialogueKey::named(id)));
        }
        Self {
            id: id.to_owned(),
            runner,
            journal: Box::new(()),
            memory: service.memory.clone(),
            driver: DriverNotes::default(),
            broken: None,
        }
    }

    /// A memory without an open file: a server can have more tasks than open files.
    fn fresh_memory(&self) -> Box<dyn Memory> {
        Box::new(SqliteMemory::new(self.memory.clone()))
    }

    /// Runs a turn. Returns its outcome and its trace line.
    pub(super) fn play(&mut self, turn: &TaskTurn) -> Result<(PlayedTask, String), String> {
        if let Some(why) = &self.broken {
            return Err(why.clone());
        }
        let record = self.try_play(&self.complete(turn)).map_err(|finding| {
            let why = format!("The task `{}` cannot continue: {}.", self.id, finding.title);
            self.note_fault("task", &finding.title);
            self.broken = Some(why.clone());
            why
        })?;
        let report = TurnReport::read(&record).unwrap_or_default();
        let unread = self.runner.unread().map(|failure| failure.reason.clone());
        let played = PlayedTask::of(&self.runner.id().text(), &report, unread.as_deref());
        if turn.event == SUBMIT {
            self.submitted(report.input.get("data"));
        }
        self.note(played.faults.clone());
        if self.is_final() {
            // A finished task needs no open files.
            self.journal = Box::new(());
        }
        Ok((played, record))
    }

    /// Adds derived data to a turn: an observation without an ID gets one.
    fn complete(&self, turn: &TaskTurn) -> TaskTurn {
        const ID: &str = "observation_id";
        if turn.event != OBSERVE || turn.data.contains_key(ID) {
            return turn.clone();
        }
        let number = self.turns().saturating_add(1).to_string();
        let id = derived_id(&["observation", &self.runner.id().text(), &number]);
        turn.clone().bringing(ID, id)
    }

    fn try_play(&mut self, turn: &TaskTurn) -> Checked<String> {
        let machine = Arc::clone(self.runner.machine());
        let scripted = turn.scripted(&machine);
        self.journal.begin_turn(&turn.line())?;
        let view = self.runner.play_kept(&scripted, &mut *self.journal).view;
        let mut line = JsonLine::default();
        view.write(&mut line);
        let record = line.into_string();
        self.journal.end_turn(&self.runner, &record)?;
        let audited = audited_turn(
            &machine,
            &self.runner.id().text(),
            self.runner.turns(),
            &record,
        );
        SqliteAudit::new(self.memory.clone()).append(&audited)?;
        self.runner.remember_from_now(self.fresh_memory());
        Ok(record)
    }

    /// Stores the cause and the deadline from the data of a submission.
    fn submitted(&mut self, data: Option<&Json>) {
        let submitted = |key: &str| data.and_then(|data| data.get(key)).cloned();
        let DriverNotes {
            begun_by, deadline, ..
        } = &mut self.driver;
        for (known, said) in [
            (begun_by, submitted("begun_by")),
            (deadline, submitted("deadline")),
        ] {
            *known = said.unwrap_or_else(|| known.take());
        }
    }

    /// Records a task that this task has started.
    pub(super) fn began(&mut self, id: &str) {
        self.driver.began.push(id.to_owned());
    }

    /// Adds violations. Above the limit, the oldest ones are dropped.
    pub(super) fn note(&mut self, faults: Vec<TaskFault>) {
        let known = &mut self.driver.faults;
        known.extend(faults);
        let many = known.len().saturating_sub(MAX_TASK_FAULTS);
        known.drain(..many);
    }

    /// Adds a violation that occurred after the last turn.
    pub(super) fn note_fault(&mut self, what: &str, why: &str) {
        self.note(vec![TaskFault {
            turn: self.turns(),
            what: what.to_owned(),
            why: why.to_owned(),
        }]);
    }

    /// The current status.
    pub(super) fn status(&self) -> TaskStatus {
        let mut status = TaskStatus::of(&self.runner, &self.id, &self.driver);
        status.is_final |= self.broken.is_some();
        status
    }

    /// Whether the task has ended.
    pub(super) fn is_final(&self) -> bool {
        self.runner.session().is_final(self.runner.machine())
    }

    /// The output names of the work that the task waits for; `None` if it does not wait for work.
    pub(super) fn brings(&self) -> Option<Vec<&str>> {
        Some(self.worker()?.outputs().collect())
    }

    /// Whether the current node needs an answer from a worker.
    pub(super) fn is_asked(&self) -> bool {
        self.worker().is_some_and(|worker| worker.is_asked)
    }

    /// The worker of the current state.
    fn worker(&self) -> Option<&StateWorker> {
        let state = self.runner.session().position.state;
        self.runner.machine().policies.worker(state)
    }

    /// The number of turns.
    pub(super) fn turns(&self) -> u32 {
        self.runner.turns()
    }
}

/// Returns the store of a session if the session has not started.
fn unbegun(mut store: SessionStore) -> Checked<SessionStore> {
    let has_turns = store.load()?.is_some_and(|stored| stored.turns > 0);
    if has_turns || store.interrupted()?.is_some() {
        return Diagnostic::error(
            Code::OtherSession,
            format!(
                "the session `{}` of the project has already started",
                store.name()
            ),
        )
        .help("use another `task_id`")
        .fail();
    }
    Ok(store)
}
