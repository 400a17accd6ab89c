//! What was said, as it is saved: counts by name.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::super::session::Session;
use crate::engine::Machine;
use crate::machine::{CategoryId, Id, IntentId};

type SavedCounts = IndexMap<String, u32>;

/// Counts of intents and categories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedTracker {
    #[serde(default)]
    turn_number: u32,
    #[serde(default)]
    current_streak: SavedStreak,
    #[serde(default)]
    intent_totals: SavedCounts,
    #[serde(default)]
    category_totals: SavedCounts,
    #[serde(default)]
    category_streaks: SavedCounts,
}

/// The intent that was said last, and how often in a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SavedStreak {
    #[serde(default)]
    intent: Option<String>,
    #[serde(default)]
    count: u32,
}

impl SavedTracker {
    pub(super) fn of(session: &Session, machine: &Machine) -> Self {
        let tracker = &session.tracker;
        let categories = |count: &dyn Fn(Option<CategoryId>) -> u32| -> SavedCounts {
            let names = machine.names.categories.iter().enumerate();
            names
                .map(|(at, name)| (name.to_owned(), count(Some(CategoryId::from_index(at)))))
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
        let streak = self.current_streak.intent.as_deref();
        let streak = streak.map(|name| {
            (
                session.intent_named(name, machine),
                self.current_streak.count,
            )
        });
        let totals: Vec<(IntentId, u32)> = self
            .intent_totals
            .iter()
            .map(|(name, count)| (session.intent_named(name, machine), *count))
            .collect();
        // A category that the machine lacks by now counts for nobody.
        let categories = |counts: &SavedCounts| -> Vec<(CategoryId, u32)> {
            counts
                .iter()
                .filter_map(|(name, count)| Some((machine.names.categories.id(name)?, *count)))
                .collect()
        };
        session.tracker.set_counts(
            self.turn_number,
            streak,
            &totals,
            &categories(&self.category_totals),
            &categories(&self.category_streaks),
        );
    }
}
