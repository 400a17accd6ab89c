//! The window of the last turns and the memory of the conversation guard, as they are saved.

use serde::{Deserialize, Serialize};

use crate::engine::guard_memory::GuardMemory;
use crate::engine::session::Session;
use crate::engine::window::{RecentTurn, RecentTurns, TurnKind};
use crate::machine::{Float, Machine};

/// The last turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedWindow {
    turns: Vec<SavedTurn>,
    played: u32,
    setbacks: u32,
    breakthrough: Option<u32>,
}

/// A turn as the window keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedTurn {
    intent: String,
    confidence: f64,
    state: String,
    delta: i64,
    words: u32,
    has_data: bool,
    kind: TurnKind,
}

impl SavedWindow {
    pub(super) fn of(session: &Session, machine: &Machine) -> Self {
        let window = &session.window;
        Self {
            turns: window
                .turns
                .iter()
                .map(|turn| SavedTurn {
                    intent: session.intent_name(turn.intent, machine).to_owned(),
                    confidence: turn.confidence.get(),
                    state: session.state_name(turn.state, machine).to_owned(),
                    delta: turn.delta,
                    words: turn.words,
                    has_data: turn.has_data,
                    kind: turn.kind,
                })
                .collect(),
            played: window.played,
            setbacks: window.setbacks,
            breakthrough: window.breakthrough,
        }
    }

    pub(super) fn restore(&self, session: &mut Session, machine: &Machine) {
        let turns = self.turns.iter().map(|turn| RecentTurn {
            intent: session.intent_named(&turn.intent, machine),
            confidence: Float::new(turn.confidence),
            state: session.state_named(&turn.state, machine),
            delta: turn.delta,
            words: turn.words,
            has_data: turn.has_data,
            kind: turn.kind,
        });
        session.window = RecentTurns {
            turns: turns.collect(),
            played: self.played,
            setbacks: self.setbacks,
            breakthrough: self.breakthrough,
        };
    }
}

/// What the conversation guard remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedGuard {
    turns: i64,
    last_progress: i64,
    message: Option<(String, i64)>,
    states: Vec<String>,
    same_state: i64,
}

impl SavedGuard {
    pub(super) fn of(session: &Session, machine: &Machine) -> Self {
        let guard = &session.guard;
        Self {
            turns: guard.turns,
            last_progress: guard.last_progress,
            message: guard.message.as_ref().map(|(text, count)| (text.to_string(), *count)),
            states: guard.states.iter().map(|state| session.state_name(*state, machine).to_owned()).collect(),
            same_state: guard.same_state,
        }
    }

    pub(super) fn restore(&self, session: &mut Session, machine: &Machine) {
        session.guard = GuardMemory {
            turns: self.turns,
            last_progress: self.last_progress,
            message: self.message.as_ref().map(|(text, count)| (text.as_str().into(), *count)),
            states: self.states.iter().map(|name| session.state_named(name, machine)).collect(),
            same_state: self.same_state,
        };
    }
}
