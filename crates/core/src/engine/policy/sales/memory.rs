//! What the sources of a sales dialogue remember, and how it is saved.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::guard_memory::GuardMemory;
use crate::engine::session::{SavedNames, Session};
use crate::engine::{Change, Machine};
use crate::machine::StateId;

/// What the sources of a sales dialogue remember.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SalesMemory {
    /// The steps back that were taken.
    pub go_backs: SmallVec<[Change<StateId>; 2]>,
    /// What the conversation guard remembers.
    pub guard: GuardMemory,
}

impl SalesMemory {
    /// Steps back that are left of so many.
    pub fn go_backs_left(&self, most: i64) -> i64 {
        most.saturating_sub(self.go_backs_taken()).max(0)
    }

    /// How many steps back were taken.
    pub fn go_backs_taken(&self) -> i64 {
        i64::try_from(self.go_backs.len()).unwrap_or(i64::MAX)
    }
}

/// Steps back that a saved session may count without telling them.
const MOST_GO_BACKS: usize = 10_000;

/// The memory as it is saved: the steps back by the key of the reference bot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedSales {
    circular_flow: SavedGoBacks,
    guard: SavedGuard,
}

/// The steps back, each from a state to a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SavedGoBacks {
    #[serde(default)]
    goback_count: usize,
    #[serde(default, alias = "history")]
    goback_history: Vec<(String, String)>,
}

/// What the conversation guard remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedGuard {
    turns: i64,
    last_progress: i64,
    message: Option<(String, i64)>,
    states: Vec<String>,
    same_state: i64,
}

impl SavedSales {
    pub(super) fn of(memory: &SalesMemory, names: &SavedNames<'_>) -> Self {
        let SalesMemory { go_backs, guard } = memory;
        Self {
            circular_flow: SavedGoBacks {
                goback_count: go_backs.len(),
                goback_history: go_backs
                    .iter()
                    .map(|step| (names.state(step.from), names.state(step.to)))
                    .collect(),
            },
            guard: SavedGuard {
                turns: guard.turns,
                last_progress: guard.last_progress,
                message: guard
                    .message
                    .as_ref()
                    .map(|(text, count)| (text.to_string(), *count)),
                states: guard
                    .states
                    .iter()
                    .map(|state| names.state(*state))
                    .collect(),
                same_state: guard.same_state,
            },
        }
    }

    /// The memory again.
    pub(super) fn restore(
        &self,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<SalesMemory, serde_json::Error> {
        let Self {
            circular_flow,
            guard,
        } = self;
        if circular_flow.goback_count > MOST_GO_BACKS {
            return Err(serde_json::Error::custom(format!(
                "`goback_count` is more than {MOST_GO_BACKS}"
            )));
        }
        let mut go_backs = SmallVec::new();
        for (from, to) in &circular_flow.goback_history {
            go_backs.push(Change {
                from: session.state_named(from, machine),
                to: session.state_named(to, machine),
            });
        }
        // A count without its history still counts.
        let here = session.position.state;
        while go_backs.len() < circular_flow.goback_count {
            go_backs.push(Change {
                from: here,
                to: here,
            });
        }
        Ok(SalesMemory {
            go_backs,
            guard: GuardMemory {
                turns: guard.turns,
                last_progress: guard.last_progress,
                message: guard
                    .message
                    .as_ref()
                    .map(|(text, count)| (text.as_str().into(), *count)),
                states: guard
                    .states
                    .iter()
                    .map(|name| session.state_named(name, machine))
                    .collect(),
                same_state: guard.same_state,
            },
        })
    }
}
