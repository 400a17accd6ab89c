//! What an interview is to find out.

use std::sync::Arc;

use super::point::{Point, PointState};
use crate::engine::session::Slots;
use crate::machine::StateId;

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
