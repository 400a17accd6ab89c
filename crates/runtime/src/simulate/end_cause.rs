//! Reasons why simulated dialogues end.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumCount, EnumString, IntoStaticStr};

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{ActionId, IntentId, StateId};

/// The reason why a simulated dialogue ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum EndReason {
    /// The dialogue reached a final state.
    Final,
    /// The patience of the user was exhausted.
    Patience,
    /// The user drew its intent for giving up.
    GaveUp,
    /// The user had no input for the state.
    Silent,
    /// The state was visited more often than its limit allows.
    Visits,
    /// The state was visited more times in a row than its limit allows.
    InARow,
    /// The maximum number of turns was reached.
    MaxTurns,
    /// A model was called, but no provider answered.
    Unanswered,
}

impl EndReason {
    /// The reason as text.
    pub fn description(self) -> &'static str {
        match self {
            Self::Final => "final state",
            Self::Patience => "out of patience",
            Self::GaveUp => "gave up",
            Self::Silent => "nothing to say",
            Self::Visits => "too many visits",
            Self::InARow => "too many visits in a row",
            Self::MaxTurns => "turn limit",
            Self::Unanswered => "no answer",
        }
    }
}

/// How, where and why a dialogue ended, and its last intent and action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndCause {
    pub how: Ending,
    pub state: StateId,
    pub reason: EndReason,
    /// The last intent, if the user drew one.
    pub intent: Option<IntentId>,
    /// The last action.
    pub action: Option<ActionId>,
}

/// The number of dialogues with the same end cause, with names instead of IDs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndCauseCount {
    /// The kind of ending: `finished`, `abandoned`, `looped`, `turn_limit` or `unanswered`.
    pub how: String,
    pub state: String,
    /// The [`EndReason`] in snake case.
    pub reason: String,
    /// The last intent, if the user drew one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The last action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The number of dialogues.
    pub dialogues: u64,
    /// The number of the first of them, from 1.
    pub first: u64,
}

impl EndCauseCount {
    /// The named form of a cause. The counts are the number of dialogues and the number of the first.
    pub(super) fn new(cause: EndCause, (dialogues, first): (u64, u64), machine: &Machine) -> Self {
        Self {
            how: cause.how.to_string(),
            state: machine.names.states.name(cause.state).to_owned(),
            reason: cause.reason.to_string(),
            intent: cause
                .intent
                .map(|intent| machine.names.intents.name(intent).to_owned()),
            action: cause
                .action
                .map(|action| machine.names.actions.name(action).to_owned()),
            dialogues,
            first,
        }
    }

    /// The identity and sort order of a cause.
    fn key(&self) -> (&str, &str, &str, Option<&str>, Option<&str>) {
        (
            &self.how,
            &self.state,
            &self.reason,
            self.intent.as_deref(),
            self.action.as_deref(),
        )
    }

    pub(super) fn sort(all: &mut [Self]) {
        all.sort_by(|one, other| one.key().cmp(&other.key()));
    }

    /// Adds the counts of another shard.
    pub(super) fn add(mine: &mut Vec<Self>, theirs: &[Self]) {
        for other in theirs {
            match mine.iter_mut().find(|known| known.key() == other.key()) {
                Some(known) => {
                    known.dialogues = known.dialogues.saturating_add(other.dialogues);
                    known.first = known.first.min(other.first);
                }
                None => mine.push(other.clone()),
            }
        }
        Self::sort(mine);
    }
}

/// The kind of end of a simulated dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumCount)]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// The dialogue reached a final state.
    Finished,
    /// The user left before a final state.
    Abandoned,
    /// A state was visited more often, or more often in a row, than it allows.
    Looped,
    /// The maximum number of turns was reached.
    TurnLimit,
    /// A model was called, but no provider answered.
    Unanswered,
}
