//! What a turn of a task came to.

use serde_json::Value as Json;

use super::started_session::StartedSession;
use super::task_status::TaskFault;

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

/// Outcomes of effects that are as they should be.
const WELL: [&str; 1] = ["done"];

impl PlayedTask {
    /// What a turn came to that this line of a trace tells of; nobody worked for the reason `unread`.
    pub(super) fn of(session: &str, record: &Json, unread: Option<&str>) -> Self {
        let text = |pointer: &str| {
            record
                .pointer(pointer)
                .and_then(Json::as_str)
                .unwrap_or_default()
        };
        let (from, to, class) = (text("/state/from"), text("/state/to"), text("/class"));
        let turn = record
            .get("turn")
            .and_then(Json::as_u64)
            .unwrap_or_default();
        let fault = |what: &str, why: &str| TaskFault {
            turn: u32::try_from(turn).unwrap_or(u32::MAX),
            what: what.to_owned(),
            why: why.to_owned(),
        };
        let mut faults: Vec<TaskFault> = unread.map(|why| fault("work", why)).into_iter().collect();
        for effect in record
            .get("effects")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            let word = |key: &str| effect.get(key).and_then(Json::as_str);
            let what = word("effect").unwrap_or_default();
            let what = match effect.pointer("/payload/capability").and_then(Json::as_str) {
                Some(capability) => format!("{what} {capability}"),
                None => what.to_owned(),
            };
            match (word("why"), word("outcome")) {
                (Some(why), _) => faults.push(fault(&what, why)),
                (None, Some(outcome)) if !WELL.contains(&outcome) => {
                    faults.push(fault(&what, outcome))
                }
                _ => {}
            }
        }
        Self {
            summary: format!("{from} -> {to} ({class})"),
            is_stuck: unread.is_some(),
            is_refused: class == "blocked",
            observation: record
                .pointer("/input/observe/observation_id")
                .and_then(Json::as_str)
                .map(str::to_owned),
            starts: StartedSession::of(session, record),
            faults,
        }
    }
}
