//! The status of a task.

use std::fmt::Write;

use crate::mcp::argument_schema::listed;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::{Machine, RecordView, ScriptedTurn};
use fsmsim_core::machine::StateId;
use fsmsim_runtime::runtime::DialogueRunner;

/// The status of a task after a turn.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TaskStatus {
    task_id: String,
    pub session: String,
    description: Json,
    pub state: String,
    phase: Option<String>,
    status: Json,
    r#final: bool,
    /// Whether the task has ended or cannot continue.
    #[serde(skip)]
    pub is_final: bool,
    turns: u32,
    class: Option<&'static str>,
    plan: Json,
    pending: Vec<Json>,
    results: Json,
    is_adaptation: bool,
    #[serde(flatten)]
    fields: Map<String, Json>,
    #[serde(flatten)]
    pub driver: DriverNotes,
    waits_for: Option<WaitedWork>,
}

/// Notes about a task that are not part of its dialogue.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct DriverNotes {
    pub begun_by: Json,
    pub deadline: Json,
    /// The tasks that this task started.
    pub began: Vec<String>,
    /// The violations, newest last.
    pub faults: Vec<TaskFault>,
}

/// A violation in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct TaskFault {
    pub turn: u32,
    pub what: String,
    pub why: String,
}

/// The next work: its role, description, inputs and outputs.
#[derive(Clone, Debug, Serialize)]
struct WaitedWork {
    role: String,
    about: Option<String>,
    knows: Map<String, Json>,
    brings: Vec<String>,
    may_be_empty: bool,
}

/// Data fields that the status of a task contains in addition to its current work.
const STATUS_FIELDS: [&str; 7] = [
    "validation_report",
    "failed_by",
    "approvals",
    "refused",
    "failed_action",
    "left_behind",
    "observations",
];

impl TaskStatus {
    /// The status of a task, from its dialogue and the notes about it.
    pub(super) fn of(dialogue: &DialogueRunner, id: &str, driver: &DriverNotes) -> Self {
        let empty_turn = ScriptedTurn::default();
        let view = dialogue.view(&empty_turn);
        let machine = view.machine;
        let session = view.session;
        let state = session.position.state;
        let is_final = session.is_final(machine);
        let data: Map<String, Json> = data(&view);
        let known = |key: &str| data.get(key).cloned().unwrap_or_default();
        let phase = view.phase(machine.state(state).phase);
        let outcome = view.record.outcome.as_ref();
        Self {
            task_id: id.to_owned(),
            session: dialogue.id().text().into_owned(),
            description: known("description"),
            state: view.state(state).to_owned(),
            phase: phase.map(str::to_owned),
            status: known("status"),
            r#final: is_final,
            is_final,
            turns: dialogue.turns(),
            class: outcome.map(|outcome| outcome.class.name()),
            plan: known("plan"),
            pending: pending(&data),
            results: data.get("results").cloned().unwrap_or_else(|| json!([])),
            is_adaptation: known("is_adaptation") == json!(true),
            fields: STATUS_FIELDS
                .iter()
                .map(|key| ((*key).to_owned(), known(key)))
                .collect(),
            driver: driver.clone(),
            waits_for: waits_for(machine, state, &data).filter(|_| !is_final),
        }
    }

    /// The task as a row in a list.
    pub(super) fn row(&self) -> Json {
        json!({
            "task_id": self.task_id,
            "description": self.description,
            "state": self.state,
            "status": self.status,
            "final": self.r#final,
            "turns": self.turns,
            "is_adaptation": self.is_adaptation,
            "begun_by": self.driver.begun_by,
        })
    }

    /// The status as text, for LLMs.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "Task `{}` is in `{}`, {}, after turn {}.",
            self.task_id,
            self.state,
            words(&self.status),
            self.turns
        );
        for (key, label) in [
            ("failed_by", "Failed by"),
            ("validation_report", "Report"),
            ("left_behind", "Not undone"),
        ] {
            let value = self.fields.get(key).filter(|value| !value.is_null());
            if let Some(shown) = value.map(words).filter(|shown| shown != "[]") {
                let _ = write!(text, "\n{label}: {shown}");
            }
        }
        if let Some(TaskFault { turn, what, why }) = self.driver.faults.last() {
            let _ = write!(text, "\nLast error, in turn {turn}: {what}: {why}");
        }
        if let Some(work) = &self.waits_for {
            let about = work.about.iter().map(|about| format!(": {about}"));
            let _ = write!(
                text,
                "\nNext work, by {}{}. Outputs: {}.",
                work.role,
                about.collect::<String>(),
                listed(&work.brings)
            );
        }
        text
    }
}

/// A value as text: a string unchanged, null as an empty string, any other value as JSON.
pub(super) fn words(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The data of a dialogue, by name.
fn data(view: &RecordView<'_>) -> Map<String, Json> {
    let known = view
        .data()
        .filter_map(|(name, value)| Some((name.to_owned(), serde_json::to_value(value).ok()?)));
    known.collect()
}

/// The pending subtasks of the plan. If the plan is a single string, it is one subtask.
fn pending(data: &Map<String, Json>) -> Vec<Json> {
    let list = |key: &str| match data.get(key) {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(items)) => items.clone(),
        Some(one) => vec![one.clone()],
    };
    if data.get("plan_done") == Some(&json!(true)) {
        return Vec::new();
    }
    list("plan")
        .into_iter()
        .skip(list("results").len())
        .collect()
}

/// The work that the task waits for.
fn waits_for(machine: &Machine, state: StateId, data: &Map<String, Json>) -> Option<WaitedWork> {
    let worker = machine.policies.worker(state)?;
    let slots = worker
        .reads
        .iter()
        .map(|slot| machine.names.slots.name(*slot));
    let knows = slots.filter_map(|name| Some((name.to_owned(), data.get(name)?.clone())));
    Some(WaitedWork {
        role: worker.role.to_string(),
        about: machine.state(state).goal.as_deref().map(str::to_owned),
        knows: knows.collect(),
        brings: worker.outputs().map(str::to_owned).collect(),
        may_be_empty: !worker.is_asked,
    })
}
