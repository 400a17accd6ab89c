//! Counts of intents and categories (docs/src/explanation/sales-policy.md).

use crate::engine::{Machine, Reads};
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

    /// Clears the counts that no reader reads.
    pub(crate) fn reduce(&mut self, reads: &Reads, machine: &Machine) {
        self.turn = reads.turn.of_count(self.turn);
        self.totals.truncate(machine.names.intents.len());
        for (intent, total) in self.totals.ids().zip(self.totals.entries_mut()) {
            let cap = reads
                .intent_totals
                .get(&intent)
                .copied()
                .unwrap_or_default();
            *total = cap.max(reads.current_total).of_count(*total);
        }
        for category in self.category_totals.ids() {
            let cap = |caps: &std::collections::BTreeMap<CategoryId, crate::engine::Cap>| {
                caps.get(&category).copied().unwrap_or_default()
            };
            let total = &mut self.category_totals[category];
            *total = cap(&reads.category_totals).of_count(*total);
            let streak = &mut self.category_streaks[category];
            *streak = cap(&reads.category_streaks).of_count(*streak);
        }
        self.streak = self
            .streak
            .and_then(|last| Self::reduced_streak(last, reads, machine));
        let run: Vec<IntentId> = self
            .recent()
            .take_while(|intent| reads.runs.contains(intent))
            .collect();
        self.recent = Ring::default();
        for intent in run.into_iter().rev() {
            self.recent.push(intent);
        }
    }

    /// The last intent and its streak. If only streaks of categories are read, [`record`](Self::record) compares only
    /// the categories of the last intent. Then all intents in the same categories are equivalent.
    fn reduced_streak(
        (last, count): (IntentId, u32),
        reads: &Reads,
        machine: &Machine,
    ) -> Option<(IntentId, u32)> {
        let cap = |intent: &IntentId| {
            let own = reads
                .intent_streaks
                .get(intent)
                .copied()
                .unwrap_or_default();
            own.max(reads.current_streak)
        };
        if cap(&last).is_read() {
            return Some((last, cap(&last).of_count(count)));
        }
        let categories = |intent: IntentId| {
            let all = machine.intent(intent).categories.iter();
            all.filter(|category| reads.category_streaks.contains_key(category))
        };
        categories(last).next()?;
        let mut equivalent = machine
            .intents
            .ids()
            .filter(|intent| !cap(intent).is_read() && categories(*intent).eq(categories(last)));
        Some((equivalent.next().unwrap_or(last), 1))
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
