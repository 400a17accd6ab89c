//! A session that a task asked for, and the driver begins.

use serde_json::{Value as Json, json};

use super::agent_task::SUBMIT;
use super::task_status::words;
use super::task_turn::TaskTurn;
use super::tool_calls::Time;
use fsmsim_adapters::world::derived_id;

/// A session that a task asked for: the effect `new_session` of a turn, as the task that it becomes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StartedSession {
    /// The id of the new task, derived of the turn that asked for it.
    pub(super) id: String,
    /// What submits it.
    pub(super) submit: TaskTurn,
}

/// The effect by which a task asks for a session.
const EFFECT: &str = "new_session";

impl StartedSession {
    /// The sessions that a turn asked for. `record` is the line of a trace that tells of it.
    pub(super) fn of(session: &str, record: &Json) -> Vec<Self> {
        let effects: Vec<&Json> = record
            .get("effects")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .collect();
        let of_kind = |kind: &'static str| {
            let is_done = move |effect: &&&Json| {
                effect.get("effect") == Some(&json!(kind))
                    && effect.get("outcome") == Some(&json!("done"))
            };
            effects
                .iter()
                .filter(is_done)
                .filter_map(|effect| effect.get("payload"))
        };
        let turn = record
            .get("turn")
            .and_then(Json::as_u64)
            .unwrap_or(0)
            .to_string();
        let observation = of_kind("take_observation")
            .next()
            .and_then(|seen| seen.get("observation_id"));
        let mut started = Vec::new();
        for (number, asked) in of_kind(EFFECT).enumerate() {
            let id = derived_id(&["session", session, &turn, EFFECT, &number.to_string()]);
            let said = |key: &str| asked.get(key).map(words).unwrap_or_default();
            let lesson = asked.get("lesson").filter(|lesson| !lesson.is_null());
            let description = match lesson {
                Some(lesson) => format!("Propose what was learned: {}", words(lesson)),
                None => format!("Look into what was observed: {}", said("signal")),
            };
            let cause = if lesson.is_some() {
                asked.get("task_id")
            } else {
                observation
            };
            let at = record.pointer("/input/at").and_then(Json::as_str);
            let at = at.map(|at| Time(at.to_owned()));
            let submit = TaskTurn::of(SUBMIT, at.as_ref())
                .bringing("task_id", &id)
                .bringing("description", description)
                .bringing("begun_by", cause)
                .bringing("is_adaptation", lesson.map(|_| true));
            started.push(Self { id, submit });
        }
        started
    }
}
