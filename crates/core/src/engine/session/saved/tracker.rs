//! The saved form of the counts and the recent turns, with names instead of IDs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::engine::{Machine, RecentTurn, RecentTurns, SavedNames, Session, TurnKind};
use crate::machine::{CategoryId, Float, Id, IntentId};

type SavedCounts = IndexMap<String, u32>;

/// Counts of intents and categories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedTracker {
    turn_number: u32,
    current_streak: SavedStreak,
    intent_totals: SavedCounts,
    category_totals: SavedCounts,
    category_streaks: SavedCounts,
}

/// The last intent, and its streak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedStreak {
    intent: Option<String>,
    count: u32,
}

impl SavedTracker {
    pub(super) fn of(session: &Session, machine: &Machine) -> Self {
        let tracker = &session.tracker;
        let categories = |count: &dyn Fn(Option<CategoryId>) -> u32| -> SavedCounts {
            let names = &machine.names.categories;
            names
                .ids()
                .map(|id| (names.name(id).to_owned(), count(Some(id))))
                .filter(|(_, count)| *count > 0)
                .collect()
        };
        let intents = machine.names.intents.len() + session.unknown.intents.iter().count();
        Self {
            turn_number: tracker.turn(),
            current_streak: match tracker.current() {
                Some((intent, count)) => SavedStreak {
                    intent: Some(session.intent_name(intent, machine).to_owned()),
                    count,
                },
                None => SavedStreak::default(),
            },
            intent_totals: (0..intents)
                .map(IntentId::from_index)
                .map(|intent| {
                    (
                        session.intent_name(intent, machine).to_owned(),
                        tracker.total(intent),
                    )
                })
                .filter(|(_, count)| *count > 0)
                .collect(),
            category_totals: categories(&|category| tracker.category_total(category)),
            category_streaks: categories(&|category| tracker.category_streak(category)),
        }
    }

    pub(super) fn restore(&self, session: &mut Session, machine: &Machine) {
        let streak = self
            .current_streak
            .intent
            .as_deref()
            .map(|name| session.intent_named(name, machine));
        session.tracker.turn = self.turn_number;
        session.tracker.streak = streak.map(|intent| (intent, self.current_streak.count));
        for (name, count) in &self.intent_totals {
            let intent = session.intent_named(name, machine);
            *session.tracker.totals.grow(intent) = *count;
        }
        let tracker = &mut session.tracker;
        for (saved, counts) in [
            (&self.category_totals, &mut tracker.category_totals),
            (&self.category_streaks, &mut tracker.category_streaks),
        ] {
            for (name, count) in saved {
                // A category that the machine no longer defines is ignored.
                if let Some(category) = machine.names.categories.id(name) {
                    *counts.grow(category) = *count;
                }
            }
        }
    }
}

/// The recent turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedRecentTurns {
    turns: Vec<SavedTurn>,
    played: u32,
    setbacks: u32,
    breakthrough: Option<u32>,
    #[serde(default)]
    stayed: u32,
}

/// A saved turn.
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
            stayed: recent.stayed,
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
            stayed: self.stayed,
        };
    }
}
