//! What is known of a turn that somebody else played.

use super::{Effect, Machine};
use crate::machine::{Bound, CounterId, Moment, SlotId, StateId, Subject, Test};

/// What is known of a turn that somebody else played.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownTurn<'a> {
    /// The state before it.
    pub from: KnownState,
    /// The state after it.
    pub to: KnownState,
    pub before: KnownData<'a>,
    pub after: KnownData<'a>,
    /// The counters that are known after it.
    pub counters: &'a [CounterId],
    /// Whether all that the turn brought is known.
    pub said: bool,
    /// Whether it is known what was meant.
    pub meant: bool,
    /// What was done to the world in it, where that is known.
    pub effects: Option<&'a [Effect]>,
}

/// A state, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnownState {
    /// Nobody tells it.
    #[default]
    Untold,
    /// It is told, and none of the machine.
    Strange,
    /// This one.
    Known(StateId),
}

/// What is known of data at a moment: of the fields of frames, and of all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownData<'a> {
    /// Whether the fields of frames are known.
    pub frames: bool,
    /// Whether other data are.
    pub rest: bool,
    /// Of those only these, where somebody tells no more.
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
    /// All is known, or nothing.
    pub fn all(known: bool) -> Self {
        Self {
            frames: known,
            rest: known,
            only: None,
        }
    }

    /// Whether it is known what a slot holds.
    fn has(self, slot: SlotId, machine: &Machine) -> bool {
        if machine.frames.field(slot).is_some() {
            return self.frames;
        }
        self.rest && self.only.is_none_or(|only| only.contains(&slot))
    }
}

impl KnownTurn<'_> {
    /// Whether it is known what a test about a subject asks.
    pub(super) fn answers(&self, subject: &Subject, test: &Test, machine: &Machine) -> bool {
        let is_told = match subject {
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
        is_told && self.compares(test, machine)
    }

    /// Whether all is known with which a test compares.
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
