//! Records condition values of a turn, in addition to the turn record.

use std::cell::RefCell;

use crate::machine::{ConditionId, EffectId, RuleId};

/// The recorder of condition values of a turn (docs/src/how-to/measure-coverage.md). Unused, it costs nothing: a turn
/// refers to a recorder only if its [`Scratch`](super::Scratch) has one.
#[derive(Debug, Default)]
pub struct TurnWatch {
    events: RefCell<Vec<WatchEvent>>,
}

/// A recorded event of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WatchEvent {
    /// The value of a written condition.
    Condition(ConditionId, bool),
    /// The values of a written condition with several parts.
    Decision(ConditionId, ConditionVector),
    /// The value of the condition of a rule, an edge or a branch.
    When(RuleId, bool),
    /// A branch or an outcome of an effect was taken.
    Taken(RuleId),
    /// The result of an effect's gate, with the index of the gate.
    Gate(EffectId, u32, bool),
}

/// The values of a condition and of its parts. Parts are numbered in the order of the file; an unevaluated part is in
/// neither set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionVector {
    /// The parts that were true, one bit each.
    pub held: u16,
    /// The parts that were false, one bit each.
    pub failed: u16,
    /// The value of the condition.
    pub outcome: bool,
}

impl ConditionVector {
    /// The maximum number of parts. A condition with more parts has no vector.
    pub const MAX_PARTS: usize = 16;

    /// Records the value of a part.
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
    pub(super) fn note(&self, event: WatchEvent) {
        self.events.borrow_mut().push(event);
    }

    /// Clears the events of the turn.
    pub(super) fn clear(&mut self) {
        self.events.get_mut().clear();
    }

    /// Calls `report` for each distinct event of the turn.
    pub fn each(&self, report: impl FnMut(WatchEvent)) {
        let mut events = self.events.borrow_mut();
        events.sort_unstable();
        events.dedup();
        events.iter().copied().for_each(report);
    }
}
