//! What there is to say of a task.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::{Machine, RecordView, ScriptedTurn};
use fsmsim_runtime::runtime::DialogueRunner;

/// What there is to say of a task behind a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskStatus {
    /// All of it.
    pub(super) parts: Json,
    /// The same as text, for models.
    pub(super) text: String,
    /// It is over.
    pub(super) is_final: bool,
}

/// What is told of the data of a task beside what it is working on, by name.
const TOLD: [&str; 7] = [
    "validation_report",
    "failed_by",
    "approvals",
    "refused",
    "failed_action",
    "left_behind",
    "observations",
];

impl TaskStatus {
    /// What there is to say of a dialogue as it is now. `of_task` is what its driver knows besides; `faults` are told newest last.
    pub(super) fn of(
        dialogue: &DialogueRunner,
        id: &str,
        of_task: &Map<String, Json>,
        faults: &[Json],
    ) -> Self {
        let unplayed = ScriptedTurn::default();
        let view = dialogue.view(&unplayed);
        let (machine, session) = (view.machine, view.session);
        let state = session.position.state;
        let is_final = session.is_final(machine);
        let data: Map<String, Json> = data(&view);
        let known = |key: &str| data.get(key).cloned().unwrap_or_default();
        let phase = machine
            .state(state)
            .phase
            .and_then(|phase| view.phase(Some(phase)));
        let waits_for = waits_for(machine, state, &data).filter(|_| !is_final);
        let pending = pending(&data);
        let mut parts = json!({
            "task_id": id,
            "session": dialogue.id().text(),
            "description": known("description"),
            "state": view.state(state),
            "phase": phase,
            "status": known("status"),
            "final": is_final,
            "turns": dialogue.turns(),
            "class": view.record.outcome.as_ref().map(|outcome| outcome.class.name()),
            "plan": known("plan"),
            "pending": pending,
            "results": data.get("results").cloned().unwrap_or_else(|| json!([])),
            "is_adaptation": known("is_adaptation") == json!(true),
        });
        if let Some(map) = parts.as_object_mut() {
            map.extend(TOLD.iter().map(|key| ((*key).to_owned(), known(key))));
            map.extend(of_task.clone());
            map.insert("faults".to_owned(), json!(faults));
            map.insert("waits_for".to_owned(), waits_for.unwrap_or_default());
        }
        let text = text(&parts);
        Self {
            parts,
            text,
            is_final,
        }
    }

    /// The task in few words, for a list of them.
    pub(super) fn row(&self) -> Json {
        let keys = [
            "task_id",
            "description",
            "state",
            "status",
            "final",
            "turns",
            "is_adaptation",
            "begun_by",
        ];
        let part = |key: &str| self.parts.get(key).cloned().unwrap_or_default();
        Json::Object(
            keys.into_iter()
                .map(|key| (key.to_owned(), part(key)))
                .collect(),
        )
    }
}

/// What is known to a dialogue, by name.
fn data(view: &RecordView<'_>) -> Map<String, Json> {
    let known = view
        .data()
        .filter_map(|(name, value)| Some((name.to_owned(), serde_json::to_value(value).ok()?)));
    known.collect()
}

/// The subtasks of the plan that are not done. A plan of one text is one subtask.
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

/// Whose work is next, what it is, what is known to it and what it brings.
fn waits_for(
    machine: &Machine,
    state: fsmsim_core::machine::StateId,
    data: &Map<String, Json>,
) -> Option<Json> {
    let worker = machine.policies.worker(state)?;
    let slots = worker
        .reads
        .iter()
        .map(|slot| machine.names.slots.name(*slot));
    let knows: Map<String, Json> = slots
        .filter_map(|name| Some((name.to_owned(), data.get(name)?.clone())))
        .collect();
    Some(json!({
        "role": &*worker.role,
        "about": machine.state(state).goal.as_deref(),
        "knows": knows,
        "brings": worker.outputs().collect::<Vec<_>>(),
        "may_be_empty": !worker.is_asked,
    }))
}

fn text(parts: &Json) -> String {
    let said = |pointer: &str| match parts.pointer(pointer) {
        None | Some(Json::Null) => None,
        Some(Json::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    let part = |key: &str| said(&format!("/{key}")).unwrap_or_default();
    let mut text = format!(
        "Task `{}` is in `{}`, {}, after turn {}.",
        part("task_id"),
        part("state"),
        part("status"),
        part("turns")
    );
    for (key, words) in [
        ("failed_by", "Failed by"),
        ("validation_report", "Report"),
        ("left_behind", "Left behind"),
    ] {
        if let Some(told) = said(&format!("/{key}")).filter(|told| told != "[]") {
            let _ = write!(text, "\n{words}: {told}");
        }
    }
    if let Some(fault) = parts
        .get("faults")
        .and_then(Json::as_array)
        .and_then(|faults| faults.last())
    {
        let word = |key: &str| fault.get(key).and_then(Json::as_str).unwrap_or_default();
        let _ = write!(
            text,
            "\nLast fault, in turn {}: {}: {}",
            fault.get("turn").unwrap_or(&Json::Null),
            word("what"),
            word("why")
        );
    }
    if let Some(role) = said("/waits_for/role") {
        let about = said("/waits_for/about")
            .map(|about| format!(": {about}"))
            .unwrap_or_default();
        let brings = parts
            .pointer("/waits_for/brings")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let brings: Vec<String> = brings
            .filter_map(Json::as_str)
            .map(|name| format!("`{name}`"))
            .collect();
        let _ = write!(
            text,
            "\nNext is the work of {role}{about}. It brings {}.",
            brings.join(", ")
        );
    }
    text
}
