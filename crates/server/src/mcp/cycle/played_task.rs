//! What a turn of a task came to.

use super::started_session::StartedSession;
use super::task_status::TaskFault;
use fsmsim_core::trace::TurnReport;

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
