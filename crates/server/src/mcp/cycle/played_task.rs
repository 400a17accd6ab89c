//! The outcome of a turn in a task, and the sessions that the turn starts.

use super::task_status::{TaskFault, words};
use super::task_turn::{SUBMIT, TaskTurn};
use fsmsim_adapters::stores::derived_id;
use fsmsim_core::trace::{ReportedEffect, TurnReport};

/// The outcome of a turn in a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PlayedTask {
    /// A short summary of the turn.
    pub summary: String,
    /// Whether the turn had no effect because no worker answered.
    pub is_stuck: bool,
    /// Whether the input was rejected.
    pub is_refused: bool,
    /// The ID of the observation.
    pub observation: Option<String>,
    /// The sessions that the turn starts.
    pub starts: Vec<StartedSession>,
    /// The violations of the turn.
    pub faults: Vec<TaskFault>,
}

impl PlayedTask {
    /// The outcome of a turn. `unread` is the reason why no worker answered.
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

/// A session that the effect `new_session` of a turn starts as a new task.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StartedSession {
    /// The ID of the new task, derived from the turn that started it.
    pub id: String,
    pub submit: TaskTurn,
}

/// The effect that starts a session.
const EFFECT: &str = "new_session";

impl StartedSession {
    /// The sessions that a turn starts.
    pub(super) fn of(session: &str, turn: &TurnReport) -> Vec<Self> {
        let effects = turn.effects();
        let done_effects = |kind: &'static str| {
            let is_its = move |effect: &&ReportedEffect| effect.effect == kind && effect.is_done();
            effects.iter().filter(is_its)
        };
        let observation = done_effects("take_observation")
            .next()
            .map(|seen| seen.given("observation_id"));
        let turn_number = turn.turn.to_string();
        let mut started = Vec::new();
        for (number, asked) in done_effects(EFFECT).enumerate() {
            let id = derived_id(&[
                "session",
                session,
                &turn_number,
                EFFECT,
                &number.to_string(),
            ]);
            let lesson = Some(asked.given("lesson")).filter(|lesson| !lesson.is_null());
            let description = match lesson {
                Some(lesson) => format!("Propose the lesson: {}", words(lesson)),
                None => format!(
                    "Investigate the observation: {}",
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
