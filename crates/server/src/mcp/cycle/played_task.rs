//! What a turn of a task came to, and the sessions that it asks for.

use super::task_status::{TaskFault, words};
use super::task_turn::{SUBMIT, TaskTurn};
use fsmsim_adapters::world::derived_id;
use fsmsim_core::trace::{ReportedEffect, TurnReport};

/// What a turn of a task came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlayedTask {
    /// The turn in a few words.
    pub(super) summary: String,
    /// Nothing came of it: nobody worked, or it is no move of the task.
    pub(super) is_stuck: bool,
    /// What came in was refused.
    pub(super) is_refused: bool,
    /// The id of what was observed.
    pub(super) observation: Option<String>,
    /// The sessions that it asks for.
    pub(super) starts: Vec<StartedSession>,
    /// What went wrong in it.
    pub(super) faults: Vec<TaskFault>,
}

impl PlayedTask {
    /// What a turn came to; nobody worked for the reason `unread`.
    pub(super) fn of(session: &str, turn: &TurnReport, unread: Option<&str>) -> Self {
        let class = turn.class.as_deref().unwrap_or_default();
        let fault = |what: &str, why: &str| TaskFault {
            turn: turn.turn,
            what: what.to_owned(),
            why: why.to_owned(),
        };
        let mut faults: Vec<TaskFault> = unread.map(|why| fault("work", why)).into_iter().collect();
        for effect in turn.effects() {
            let what = match effect.given("capability").as_str() {
                Some(capability) => format!("{} {capability}", effect.effect),
                None => effect.effect.clone(),
            };
            let outcome = effect.outcome.as_ref().filter(|_| !effect.is_done());
            faults.extend(effect.why.as_ref().or(outcome).map(|why| fault(&what, why)));
        }
        let [from, to] =
            [&turn.state.from, &turn.state.to].map(|state| state.as_deref().unwrap_or_default());
        Self {
            summary: format!("{from} -> {to} ({class})"),
            is_stuck: unread.is_some(),
            is_refused: class == "blocked",
            observation: turn
                .input
                .get("observe")
                .and_then(|seen| seen.get("observation_id")?.as_str())
                .map(str::to_owned),
            starts: StartedSession::of(session, turn),
            faults,
        }
    }
}

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
