//! The parts of a session that later turns can read. Sessions that agree in these parts have the same future.
//!
//! Every reader reports what it reads to [`Readers`](super::Readers), next to the code that reads.
//! [`Session::reduce`](super::Session::reduce) then clears all other parts.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{CategoryId, Condition, ConditionId, CounterId, IntentId, Signal, SlotId};

/// How far readers distinguish the values of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cap {
    /// No reader distinguishes values.
    #[default]
    Unread,
    /// All values from this one on are equal for all readers.
    At(i64),
    /// All values differ.
    Exact,
}

impl Cap {
    /// Whether any reader distinguishes values.
    pub fn is_read(self) -> bool {
        self != Self::Unread
    }

    /// The smallest value that no reader distinguishes from this one.
    pub fn of(self, value: i64) -> i64 {
        match self {
            Self::Unread => 0,
            Self::At(most) => value.min(most),
            Self::Exact => value,
        }
    }

    /// Distinguishes at least as many values as `other`.
    pub(crate) fn widen(&mut self, other: Self) {
        *self = (*self).max(other);
    }

    /// The smallest count that no reader distinguishes from this one.
    pub(crate) fn of_count(self, count: u32) -> u32 {
        u32::try_from(self.of(i64::from(count)).max(0)).unwrap_or(u32::MAX)
    }
}

/// The tests that readers apply to the value of a slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlotReads {
    /// The tests, as conditions on this slot alone.
    pub tests: Vec<Condition>,
    /// Whether a reader can distinguish any two values.
    pub exact: bool,
}

impl SlotReads {
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let before = (self.tests.len(), self.exact);
        self.exact |= other.exact;
        for test in &other.tests {
            if !self.tests.contains(test) {
                self.tests.push(test.clone());
            }
        }
        before != (self.tests.len(), self.exact)
    }
}

/// The parts of a session that turns read.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent parts")]
pub struct Reads {
    pub slots: BTreeMap<SlotId, SlotReads>,
    /// The tests of values in the data of a turn.
    pub said: BTreeMap<SlotId, SlotReads>,
    pub counters: BTreeMap<CounterId, Cap>,
    pub turn: Cap,
    pub intent_streaks: BTreeMap<IntentId, Cap>,
    pub current_streak: Cap,
    pub category_streaks: BTreeMap<CategoryId, Cap>,
    pub intent_totals: BTreeMap<IntentId, Cap>,
    pub current_total: Cap,
    pub category_totals: BTreeMap<CategoryId, Cap>,
    /// The intents whose run at the end of the recent intents is read.
    pub runs: BTreeSet<IntentId>,
    /// The signals, and how far their numbers are distinguished.
    pub signals: BTreeMap<Signal, Cap>,
    pub consent: bool,
    /// Whether return states are read.
    pub returns: bool,
    /// Whether actions are observed, because some have replies.
    pub actions: bool,
    /// Whether some actions depend on data that is not read, because no action has a reply.
    pub hides_actions: bool,
    pub go_backs: Cap,
    /// Whether the occurrences in replies are counted.
    pub replies: bool,
    /// The values of the user's frustration that readers distinguish.
    pub frustration: BTreeSet<i64>,
    /// The tones that readers distinguish.
    pub tones: BTreeSet<Box<str>>,
    /// The secondary intents that readers distinguish.
    pub also: BTreeSet<IntentId>,
    /// The conditions whose tests are read.
    pub conditions: BTreeSet<ConditionId>,
    /// The reasons why a finite number of values does not represent all dialogues.
    pub loose: BTreeSet<Box<str>>,
    /// The slots that sources set.
    pub written: BTreeSet<SlotId>,
    /// The slots that take a value from an effect, or from another answer.
    pub returned: BTreeSet<SlotId>,
}
