//! What an interview is to find out.

use std::sync::Arc;

use super::knowledge::KnowledgeSection;
use super::point::AgendaPoint;
use crate::machine::{IntentId, SlotId, StateId};

/// What an interview is to find out, and where that is asked.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    /// The points, in the order of the file.
    pub points: Box<[AgendaPoint]>,
    /// The confidence from which on a point is complete.
    pub threshold: f64,
    /// The state before the first question.
    pub start: StateId,
    /// The state in which the user is asked whether all is right, where there is one.
    pub summary: Option<StateId>,
    /// What is meant by whoever answers.
    pub intents: AgendaIntents,
    /// The names under which a turn brings what was made of an answer.
    pub brings: AgendaSlots,
    /// Words that agree to a summary.
    pub agree: Box<[Box<str>]>,
    /// Words that do not agree.
    pub disagree: Box<[Box<str>]>,
    /// What stands above the answers in what is written in the end.
    pub title: Option<Box<str>>,
    /// How what is written in the end speaks of what it lacks.
    pub words: AnketaWords,
    /// What is known in general, for whoever finds the words of a question, in the order of the files.
    pub knowledge: Arc<[KnowledgeSection]>,
}

/// What is meant by whoever answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgendaIntents {
    /// It is an answer.
    pub answer: IntentId,
    /// The summary is right.
    pub agree: IntentId,
    /// An answer is to be changed.
    pub edit: IntentId,
}

/// The names under which a turn brings what was made of an answer. What it brings is gone with the turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgendaSlots {
    /// What was said, where it was more than blanks.
    pub answer: SlotId,
    /// The points that it is an answer to.
    pub answers: SlotId,
    /// What is still missing of the point that was asked about.
    pub missing: SlotId,
    /// The point that is to be changed.
    pub point: SlotId,
    /// The time of the turn.
    pub now: SlotId,
}

impl Agenda {
    /// The point that a state asks about.
    pub fn point_of(&self, state: StateId) -> Option<&AgendaPoint> {
        self.points
            .iter()
            .find(|point| point.first == state || point.again == state)
    }

    /// The point of a name.
    pub fn point(&self, id: &str) -> Option<&AgendaPoint> {
        self.points.iter().find(|point| &*point.id == id)
    }

    /// Whether what is said in a state is judged.
    pub(super) fn judges(&self, state: StateId) -> bool {
        state == self.start || self.summary == Some(state) || self.point_of(state).is_some()
    }
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
