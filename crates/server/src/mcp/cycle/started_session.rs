//! A session that a task asked for, and the driver begins.

use super::task_status::words;
use super::task_turn::{SUBMIT, TaskTurn};
use fsmsim_adapters::world::derived_id;
use fsmsim_core::trace::{ReportedEffect, TurnReport};

/// A session that a task asked for: the effect `new_session` of a turn, as the task that it becomes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StartedSession {
    /// The id of the new task, derived of the turn that asked for it.
    pub(super) id: String,
    pub(super) submit: TaskTurn,
}

/// The effect by which a task asks for a session.
const EFFECT: &str = "new_session";

impl StartedSession {
    /// The sessions that a turn asked for.
    pub(super) fn of(session: &str, turn: &TurnReport) -> Vec<Self> {
        let effects = turn.effects();
        let of_kind = |kind: &'static str| {
            let is_its = move |effect: &&ReportedEffect| effect.effect == kind && effect.is_done();
            effects.iter().filter(is_its)
        };
        let observation = of_kind("take_observation").next();
        let observation = observation.map(|seen| seen.given("observation_id"));
        let turn_number = turn.turn.to_string();
        let mut started = Vec::new();
        for (number, asked) in of_kind(EFFECT).enumerate() {
            let id = derived_id(&[
                "session",
                session,
                &turn_number,
                EFFECT,
                &number.to_string(),
            ]);
            let lesson = Some(asked.given("lesson")).filter(|lesson| !lesson.is_null());
            let description = match lesson {
                Some(lesson) => format!("Propose what was learned: {}", words(lesson)),
                None => format!(
                    "Look into what was observed: {}",
                    words(asked.given("signal"))
                ),
            };
            let cause = if lesson.is_some() {
                Some(asked.given("task_id"))
            } else {
                observation
            };
            let submit = TaskTurn::of(SUBMIT, turn.given("at"))
                .bringing("task_id", &id)
                .bringing("description", description)
                .bringing("begun_by", cause)
                .bringing("is_adaptation", lesson.map(|_| true));
            started.push(Self { id, submit });
        }
        started
    }
}
