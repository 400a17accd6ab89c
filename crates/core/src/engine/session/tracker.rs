//! Counts of intents and categories (docs/sales.md, "Counting").

use crate::engine::Machine;
use crate::machine::{CategoryId, IdVec, IntentId};

/// The number of recent intents to store; counts cover the complete dialogue.
const RECENT: usize = 10;

/// Counts of intents and categories: streaks and totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tracker {
    pub(super) turn: u32,
    pub(super) streak: Option<(IntentId, u32)>,
    pub(super) totals: IdVec<IntentId, u32>,
    pub(super) category_totals: IdVec<CategoryId, u32>,
    pub(super) category_streaks: IdVec<CategoryId, u32>,
    recent: Ring,
}

/// The last intents, in a ring buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Ring {
    intents: [Option<IntentId>; RECENT],
    /// The index of the next intent.
    next: usize,
}

impl Ring {
    fn push(&mut self, intent: IntentId) {
        if let Some(entry) = self.intents.get_mut(self.next) {
            *entry = Some(intent);
        }
        self.next = if self.next + 1 == RECENT {
            0
        } else {
            self.next + 1
        };
    }

    /// The intents, latest first.
    fn iter(&self) -> impl Iterator<Item = IntentId> {
        let (newer, older) = self.intents.split_at(self.next.min(RECENT));
        newer
            .iter()
            .rev()
            .chain(older.iter().rev())
            .map_while(|intent| *intent)
    }
}

impl Tracker {
    /// Creates a tracker without counts.
    pub fn new(machine: &Machine) -> Self {
        Self {
            totals: IdVec::filled(machine.names.intents.len(), 0),
            category_totals: IdVec::filled(machine.names.categories.len(), 0),
            category_streaks: IdVec::filled(machine.names.categories.len(), 0),
            ..Self::default()
        }
    }

    /// Counts one intent. Categories that do not contain the intent lose their streaks.
    pub fn record(&mut self, intent: IntentId, machine: &Machine) {
        self.turn += 1;
        match self.totals.lookup_mut(intent) {
            Some(total) => *total += 1,
            None => *self.totals.grow(intent) += 1,
        }
        let now = &machine.intent(intent).categories;
        self.streak = match self.streak {
            Some((last, count)) if last == intent => Some((last, count + 1)),
            Some((last, _)) => {
                // Only the categories of the last intent can have a streak.
                for category in &machine.intent(last).categories {
                    if !now.contains(category) {
                        self.category_streaks[*category] = 0;
                    }
                }
                Some((intent, 1))
            }
            None => Some((intent, 1)),
        };
        for category in now {
            self.category_totals[*category] += 1;
            self.category_streaks[*category] += 1;
        }
        self.recent.push(intent);
    }

    /// The number of counted intents and navigations; during a turn, the number of the turn, starting at 1.
    #[inline]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Sets the number of counted turns, if they are not intents, or an external system counted them.
    pub fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The current streak of the intent.
    #[inline]
    pub fn streak(&self, intent: IntentId) -> u32 {
        match self.streak {
            Some((last, count)) if last == intent => count,
            _ => 0,
        }
    }

    /// The total count of the intent.
    #[inline]
    pub fn total(&self, intent: IntentId) -> u32 {
        self.totals.lookup(intent).copied().unwrap_or(0)
    }

    /// The current streak of the category.
    #[inline]
    pub fn category_streak(&self, category: Option<CategoryId>) -> u32 {
        category
            .and_then(|id| self.category_streaks.lookup(id))
            .copied()
            .unwrap_or(0)
    }

    /// The total count of the category.
    #[inline]
    pub fn category_total(&self, category: Option<CategoryId>) -> u32 {
        category
            .and_then(|id| self.category_totals.lookup(id))
            .copied()
            .unwrap_or(0)
    }

    /// All intents that can have a count, including those that the machine does not define.
    pub fn intents(&self) -> impl Iterator<Item = IntentId> {
        self.totals.ids()
    }

    /// The last intents, the latest first.
    pub fn recent(&self) -> impl Iterator<Item = IntentId> {
        self.recent.iter()
    }

    /// The last intent, and its streak.
    pub fn current(&self) -> Option<(IntentId, u32)> {
        self.streak
    }

    /// Sets the recent intents, oldest first.
    pub(super) fn set_recent(&mut self, intents: &[IntentId]) {
        self.recent = Ring::default();
        for intent in intents {
            self.recent.push(*intent);
        }
    }

    /// Copies `other` and reuses memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.turn = other.turn;
        self.streak = other.streak;
        self.totals.copy_from(&other.totals);
        self.category_totals.copy_from(&other.category_totals);
        self.category_streaks.copy_from(&other.category_streaks);
        self.recent.clone_from(&other.recent);
    }

    pub fn clear(&mut self, machine: &Machine) {
        self.turn = 0;
        self.streak = None;
        self.totals.truncate(machine.names.intents.len());
        self.totals.fill(0);
        self.category_totals.fill(0);
        self.category_streaks.fill(0);
        self.recent = Ring::default();
    }
}
