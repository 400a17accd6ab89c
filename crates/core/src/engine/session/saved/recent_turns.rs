//! The recent turns of a session, as they are saved.

use serde::{Deserialize, Serialize};

use super::super::recent_turns::{RecentTurn, RecentTurns, TurnKind};
use super::super::session::Session;
use super::SavedNames;
use crate::engine::Machine;
use crate::machine::Float;

/// The last turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedRecentTurns {
    turns: Vec<SavedTurn>,
    played: u32,
    setbacks: u32,
    breakthrough: Option<u32>,
}

/// A turn as it is kept.
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

impl SavedRecentTurns {
    pub(super) fn of(session: &Session, names: &SavedNames<'_>) -> Self {
        let recent = &session.recent_turns;
        Self {
            turns: recent
                .turns
                .iter()
                .map(|turn| SavedTurn {
                    intent: names.intent(turn.intent),
                    confidence: turn.confidence.get(),
                    state: names.state(turn.state),
                    delta: turn.delta,
                    words: turn.words,
                    has_data: turn.has_data,
                    kind: turn.kind,
                })
                .collect(),
            played: recent.played,
            setbacks: recent.setbacks,
            breakthrough: recent.breakthrough,
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
        session.recent_turns = RecentTurns {
            turns: turns.collect(),
            played: self.played,
            setbacks: self.setbacks,
            breakthrough: self.breakthrough,
        };
    }
}
