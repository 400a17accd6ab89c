//! The topics of an interview, independent of the policy.

mod criteria;
mod questionnaire;

use std::sync::Arc;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::engine::Slots;
use crate::machine::{CounterId, SlotId, StateId};
pub use criteria::Criteria;
pub(crate) use criteria::{CriteriaVerdict, holds};
pub use questionnaire::{Questionnaire, QuestionnairePoint};

/// The topics of an interview, and the format of its results.
#[derive(Clone, Debug, Default)]
pub struct Inquiry {
    /// The points, in the order of the file.
    pub points: Box<[Point]>,
    /// The confidence at which a point is complete.
    pub threshold: f64,
    /// The state in which the user confirms a summary, if there is one.
    pub summary: Option<StateId>,
    /// The heading of the results.
    pub title: Option<Box<str>>,
    /// The phrases for missing answers in the results.
    pub words: QuestionnaireWords,
    /// General knowledge for the wording of questions, in the order of the files.
    pub knowledge: Arc<[KnowledgeSection]>,
}

impl Inquiry {
    /// The point that a state asks about.
    pub fn point_of(&self, state: StateId) -> Option<&Point> {
        self.points
            .iter()
            .find(|point| point.first == state || point.again == state)
    }

    pub fn point(&self, id: &str) -> Option<&Point> {
        self.points.iter().find(|point| &*point.id == id)
    }

    /// The incomplete point that caused a point to be skipped.
    pub fn waits_for<'a>(&'a self, point: &Point, slots: &Slots) -> Option<&'a Point> {
        let is = |point: &Point, state: PointState| {
            slots.get(point.kept.state).as_text() == Some(state.name())
        };
        if !is(point, PointState::Skipped) {
            return None;
        }
        point
            .depends_on
            .iter()
            .filter_map(|place| self.points.get(*place))
            .find(|other| !is(other, PointState::Completed))
    }
}

/// A section of a document: a heading and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnowledgeSection {
    /// The path of headings, the top heading first; empty without headings.
    pub title: Box<str>,
    /// The text below the headings, in one line.
    pub text: Box<str>,
}

/// The phrases for missing answers, in the language of the interview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionnaireWords {
    /// No answer.
    pub unanswered: &'static str,
    /// An answer that is not sufficient.
    pub partial: &'static str,
    /// A skipped question, followed by the point that it waits for.
    pub passed_over: &'static str,
    /// All required answers are present.
    pub complete: &'static str,
    /// Required answers are missing, followed by their labels.
    pub missing: &'static str,
    /// The times of a finished interview are unknown.
    pub untimed: &'static str,
}

/// A point of an interview: the topic of a question, which can take several turns.
#[derive(Clone, Debug)]
pub struct Point {
    /// The name in files and records.
    pub id: Box<str>,
    /// The name for users.
    pub name: Box<str>,
    /// The information to collect.
    pub about: Box<str>,
    /// The label of the answer.
    pub label: Box<str>,
    /// The key of the answer in the results.
    pub field: Box<str>,
    /// The priority.
    pub priority: PointPriority,
    /// The indices of the points that must be complete before this point.
    pub depends_on: Box<[usize]>,
    /// Hints for asking about the point.
    pub hints: Box<[Box<str>]>,
    /// Words that identify the point.
    pub tags: Box<[Box<str>]>,
    /// The questions of the file, which a model can phrase otherwise.
    pub questions: Box<[Box<str>]>,
    /// The criteria for a complete answer, without a model.
    pub criteria: Criteria,
    /// The state that asks about the point for the first time.
    pub first: StateId,
    /// The state that asks about the point again.
    pub again: StateId,
    /// The slots that store the progress.
    pub kept: PointSlots,
    /// The counter of questions about the point.
    pub asked: CounterId,
}

/// The slots with the progress of a point: the fields of its frame.
#[derive(Clone, Copy, Debug)]
pub struct PointSlots {
    /// One of [`PointState`].
    pub state: SlotId,
    /// The completeness of the answers, from 0 to 1.
    pub confidence: SlotId,
    /// The answers, verbatim.
    pub answers: SlotId,
    /// The answers before a change.
    pub earlier: SlotId,
}

/// The priority of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
pub enum PointPriority {
    /// Required for a complete interview.
    P0,
    /// Important.
    P1,
    /// Useful.
    P2,
    /// Optional.
    P3,
}

/// The progress of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum PointState {
    /// No answer.
    NotStarted,
    /// An answer that is not sufficient.
    InProgress,
    /// A sufficient answer.
    Completed,
    /// The answer is not sufficient, but the interview has stopped asking.
    Incomplete,
    /// Skipped because a point that it depends on is not complete.
    Skipped,
}

impl PointState {
    /// The name in records.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
