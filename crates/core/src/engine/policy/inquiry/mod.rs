//! What is to be found out in the dialogues of a machine, whichever policy asks for it.

mod anketa;
mod criteria;

use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::engine::Slots;
use crate::machine::{CounterId, SlotId, StateId};
pub use anketa::{Anketa, AnketaPoint};
pub use criteria::Criteria;
pub(crate) use criteria::{CriteriaVerdict, holds};

/// What an interview is to find out, and how it is handed on.
#[derive(Clone, Debug, Default)]
pub struct Inquiry {
    /// The points, in the order of the file.
    pub points: Box<[Point]>,
    /// The confidence from which on a point is complete.
    pub threshold: f64,
    /// The state in which the user is asked whether all is right, where there is one.
    pub summary: Option<StateId>,
    /// What stands above the answers in what is written in the end.
    pub title: Option<Box<str>>,
    /// How what is written in the end speaks of what it lacks.
    pub words: AnketaWords,
    /// What is known in general, for whoever finds the words of a question, in the order of the files.
    pub knowledge: Arc<[KnowledgeSection]>,
}

impl Inquiry {
    /// The point that a state asks about.
    pub fn point_of(&self, state: StateId) -> Option<&Point> {
        self.points
            .iter()
            .find(|point| point.first == state || point.again == state)
    }

    /// The point of a name.
    pub fn point(&self, id: &str) -> Option<&Point> {
        self.points.iter().find(|point| &*point.id == id)
    }

    /// Why a point was passed over: the point that it depends on and that is not complete.
    pub fn waits_for<'a>(&'a self, point: &Point, slots: &Slots) -> Option<&'a Point> {
        let is = |point: &Point, state: PointState| {
            slots.get(point.kept.state).as_text() == Some(state.name())
        };
        if !is(point, PointState::Skipped) {
            return None;
        }
        let mut others = point
            .depends_on
            .iter()
            .filter_map(|place| self.points.get(*place));
        others.find(|other| !is(other, PointState::Completed))
    }
}

/// A section of a document: a heading, and what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeSection {
    /// The headings that lead to it, from the uppermost on; empty where it has none.
    pub title: Box<str>,
    /// What stands below them, in one line.
    pub text: Box<str>,
}

/// How what is handed on speaks of what it lacks, in the language of the interview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnketaWords {
    /// Nothing was answered.
    pub unanswered: &'static str,
    /// What was answered is not enough.
    pub partial: &'static str,
    /// It was not asked; what it waits for comes behind.
    pub passed_over: &'static str,
    /// All that must be there is there.
    pub complete: &'static str,
    /// Something that must be there is not; what comes behind.
    pub missing: &'static str,
}

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
