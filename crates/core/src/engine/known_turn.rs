//! The known parts of a turn of an external system.

use super::{Effect, Machine};
use crate::machine::{Bound, CounterId, Moment, SlotId, StateId, Subject, Test};

/// The known parts of a turn of an external system.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownTurn<'a> {
    /// The state before the turn.
    pub from: KnownState,
    /// The state after the turn.
    pub to: KnownState,
    pub before: KnownData<'a>,
    pub after: KnownData<'a>,
    /// The counters whose values after the turn are known.
    pub counters: &'a [CounterId],
    /// Whether all data of the turn is known.
    pub said: bool,
    /// Whether the intent is known.
    pub meant: bool,
    /// The effects of the turn, if known.
    pub effects: Option<&'a [Effect]>,
}

/// A state, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownState {
    /// The state is not reported.
    #[default]
    Untold,
    /// The reported state is not defined in the machine.
    Strange,
    /// This state.
    Known(StateId),
}

/// The known data at a moment: whether the fields of frames and the other slots are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownData<'a> {
    /// Whether the fields of frames are known.
    pub frames: bool,
    /// Whether other slots are known.
    pub rest: bool,
    /// If set, the only other slots that are known.
    pub only: Option<&'a [SlotId]>,
}

impl KnownState {
    pub fn state(self) -> Option<StateId> {
        match self {
            Self::Known(state) => Some(state),
            Self::Untold | Self::Strange => None,
        }
    }
}

impl KnownData<'_> {
    /// Creates data that is completely known or completely unknown.
    pub fn all(known: bool) -> Self {
        Self {
            frames: known,
            rest: known,
            only: None,
        }
    }

    /// Whether the value of a slot is known.
    fn has(self, slot: SlotId, machine: &Machine) -> bool {
        if machine.frames.field(slot).is_some() {
            return self.frames;
        }
        self.rest && self.only.is_none_or(|only| only.contains(&slot))
    }
}

impl KnownTurn<'_> {
    /// Whether the operands of a test are known.
    pub(super) fn answers(&self, subject: &Subject, test: &Test, machine: &Machine) -> bool {
        let is_known = match subject {
            Subject::Slot(slot) | Subject::Field(slot, _) | Subject::Length(slot) => {
                self.after.has(*slot, machine)
            }
            Subject::Was(slot) => self.before.has(*slot, machine),
            Subject::Said(_) => self.said,
            Subject::Counter(counter) => self.counters.contains(counter),
            Subject::State => self.to.state().is_some(),
            Subject::Intent => self.meant,
            Subject::Effect(_) | Subject::Done(_) | Subject::Outcome => self.effects.is_some(),
            _ => false,
        };
        is_known && self.compares(test, machine)
    }

    /// Whether all values that a test compares with are known.
    fn compares(&self, test: &Test, machine: &Machine) -> bool {
        let bound = |bound: &Bound| match bound {
            Bound::Number(_) | Bound::Limit(..) => true,
            Bound::Slot(slot) => self.after.has(*slot, machine),
            Bound::Was(slot) => self.before.has(*slot, machine),
            Bound::Counter(counter) => self.counters.contains(counter),
            Bound::ExhaustThreshold => false,
        };
        match test {
            Test::Compare(_, with) => bound(with),
            Test::Between(low, high) => bound(low) && bound(high),
            Test::SameAs(slot) | Test::Within(slot) | Test::Later(Moment::Before, slot, _) => {
                self.before.has(*slot, machine)
            }
            Test::Later(Moment::Now, slot, _) => self.after.has(*slot, machine),
            _ => true,
        }
    }

    /// Whether the fields of frames are known at a moment.
    pub(super) fn frames(&self, moment: Moment) -> bool {
        match moment {
            Moment::Before => self.before.frames,
            Moment::Now => self.after.frames,
        }
    }
}
