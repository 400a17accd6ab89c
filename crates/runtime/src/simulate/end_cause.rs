//! Why simulated dialogues end.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumCount, EnumString, IntoStaticStr};

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{ActionId, IntentId, StateId};

/// Why a simulated dialogue ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum EndReason {
    /// It was in a final state.
    Final,
    /// The patience of the user was over.
    Patience,
    /// The user drew what it gives up with.
    GaveUp,
    /// The user had nothing to say there.
    Silent,
    /// Turns ended in the state more often than it allows.
    Visits,
    /// More turns in a row ended in the state than it allows.
    InARow,
    /// As many turns passed as the user takes part in.
    MaxTurns,
    /// A model was asked, and nobody answered.
    Unanswered,
}

impl EndReason {
    /// In words.
    pub fn told(self) -> &'static str {
        match self {
            Self::Final => "the end",
            Self::Patience => "patience over",
            Self::GaveUp => "gave up",
            Self::Silent => "nothing to say",
            Self::Visits => "too many visits",
            Self::InARow => "too long in a row",
            Self::MaxTurns => "turns used up",
            Self::Unanswered => "nobody answered",
        }
    }
}

/// How, where and why a dialogue ended, and what its last turn was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndCause {
    /// How.
    pub how: Ending,
    pub state: StateId,
    /// Why.
    pub reason: EndReason,
    /// What was meant last, where that was drawn as an intent.
    pub intent: Option<IntentId>,
    /// What was done last.
    pub action: Option<ActionId>,
}

/// Dialogues that ended in the same way, by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndCauseCount {
    /// How: `finished`, `left`, `looped`, `endless` or `unanswered`.
    pub how: String,
    /// The state.
    pub state: String,
    /// Why, as [`EndReason`] is written.
    pub reason: String,
    /// What was meant last, where that was drawn as an intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// What was done last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How many there are.
    pub dialogues: u64,
    /// The first of them, by its number from 1.
    pub first: u64,
}

impl EndCauseCount {
    /// So many dialogues, of which this is the first.
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

    /// What tells it from others, and orders them.
    fn key(&self) -> (&str, &str, &str, Option<&str>, Option<&str>) {
        (
            &self.how,
            &self.state,
            &self.reason,
            self.intent.as_deref(),
            self.action.as_deref(),
        )
    }

    /// Puts them in their order.
    pub(super) fn sort(all: &mut [Self]) {
        all.sort_by(|one, other| one.key().cmp(&other.key()));
    }

    /// Adds others to these.
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

/// How a simulated dialogue ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumCount)]
#[strum(serialize_all = "snake_case")]
pub enum Ending {
    /// The dialogue came to its end.
    Finished,
    /// The user gave up and left, and the dialogue was not at its end.
    Left,
    /// A state was visited more often, or more often in a row, than it allows.
    Looped,
    /// It went on for as many turns as the user takes part in.
    Endless,
    /// A model was asked, and nobody answered.
    Unanswered,
}
