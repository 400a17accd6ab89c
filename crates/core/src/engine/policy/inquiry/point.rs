//! A reference point: something that an interview is to find out.

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::criteria::Criteria;
use crate::machine::{CounterId, SlotId, StateId};

/// A reference point: not a question, but what is to be found out.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name in files and records.
    pub id: Box<str>,
    /// What people call it.
    pub name: Box<str>,
    /// What exactly is to be found out.
    pub about: Box<str>,
    /// What people read before its answer.
    pub label: Box<str>,
    /// The key of its answer in what is written in the end.
    pub field: Box<str>,
    /// How much it matters.
    pub priority: PointPriority,
    /// The points that must be complete before, by their places.
    pub depends_on: Box<[usize]>,
    /// What a question about it may go into.
    pub hints: Box<[Box<str>]>,
    /// Words it is known by.
    pub tags: Box<[Box<str>]>,
    /// When an answer is complete, where no model judges it.
    pub criteria: Criteria,
    /// The state in which it is asked for the first time.
    pub first: StateId,
    /// The state in which it is asked again.
    pub again: StateId,
    /// Where it is kept how far it is.
    pub kept: PointSlots,
    /// How often it was asked.
    pub asked: CounterId,
}

/// Where it is kept how far a point is: the fields of its frame.
#[derive(Clone, Copy, Debug)]
pub struct PointSlots {
    /// One of [`PointState`].
    pub state: SlotId,
    /// How complete what is known is, from 0 to 1.
    pub confidence: SlotId,
    /// What was answered, word for word.
    pub answers: SlotId,
    /// What had been answered before it was to be changed.
    pub earlier: SlotId,
}

/// How much a point matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
pub enum PointPriority {
    /// Without it the interview is not complete.
    P0,
    /// Important.
    P1,
    /// Useful.
    P2,
    /// Welcome.
    P3,
}

/// How far a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum PointState {
    /// Nothing is known.
    NotStarted,
    /// Something is known, but not enough.
    InProgress,
    /// Enough is known.
    Completed,
    /// It was asked and set aside: what is known is not enough.
    Incomplete,
    /// It was passed over, since a point that it depends on is not complete.
    Skipped,
}

impl PointState {
    /// The name, as records write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
