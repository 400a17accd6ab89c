//! What somebody who watches sees of a turn beside its record: which conditions were asked, and what they came to.

use std::cell::RefCell;

use crate::machine::{ConditionId, EffectId, RuleId};

/// What a turn showed, for whoever watches (docs/coverage.md). Nobody watching costs nothing: a turn carries a reference
/// to one only where its [`Scratch`](super::Scratch) has one.
#[derive(Debug, Default)]
pub struct TurnWatch {
    events: RefCell<Vec<WatchEvent>>,
}

/// Something that a turn showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WatchEvent {
    /// A written condition came to this.
    Condition(ConditionId, bool),
    /// A written condition with several parts came to what the vector says.
    Decision(ConditionId, ConditionVector),
    /// The condition of a rule, an edge or a way came to this there.
    When(RuleId, bool),
    /// A way, or an outcome of an effect, was taken.
    Taken(RuleId),
    /// A gate of an effect, by its number, let it pass or did not.
    Gate(EffectId, u32, bool),
}

/// What the parts of a condition came to, and the condition with them. Parts are numbered in the order in which they are
/// written; a part at which nobody looked is in neither set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionVector {
    /// The parts that were true, a bit each.
    pub held: u16,
    /// The parts that were false, a bit each.
    pub failed: u16,
    /// What the condition came to.
    pub outcome: bool,
}

impl ConditionVector {
    /// A condition with more parts has no vectors.
    pub const MOST_PARTS: usize = 16;

    /// Notes what a part came to.
    pub(super) fn note(&mut self, part: usize, held: bool) {
        let bit = 1_u16
            .checked_shl(u32::try_from(part).unwrap_or(u32::MAX))
            .unwrap_or(0);
        *(if held {
            &mut self.held
        } else {
            &mut self.failed
        }) |= bit;
    }
}

impl TurnWatch {
    /// Notes something.
    pub(super) fn note(&self, event: WatchEvent) {
        self.events.borrow_mut().push(event);
    }

    /// Forgets the turn.
    pub(super) fn clear(&mut self) {
        self.events.get_mut().clear();
    }

    /// Tells each thing that the turn showed, once.
    pub fn each(&self, tell: impl FnMut(WatchEvent)) {
        let mut events = self.events.borrow_mut();
        events.sort_unstable();
        events.dedup();
        events.iter().copied().for_each(tell);
    }
}
