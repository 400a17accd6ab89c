//! What an interview is to find out, and what is meant by whoever answers.

use crate::engine::policy::Inquiry;
use crate::machine::{IntentId, SlotId, StateId};

/// What an interview is to find out, and where that is asked.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    /// What is to be found out.
    pub inquiry: Inquiry,
    /// The state before the first question.
    pub start: StateId,
    /// What is meant by whoever answers.
    pub intents: AgendaIntents,
    /// The names under which a turn brings what was made of an answer.
    pub brings: AgendaSlots,
    /// Words that agree to a summary.
    pub agree: Box<[Box<str>]>,
    /// Words that do not agree.
    pub disagree: Box<[Box<str>]>,
}

/// What is meant by whoever answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgendaIntents {
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
    /// Whether what is said in a state is judged.
    pub(super) fn judges(&self, state: StateId) -> bool {
        state == self.start || self.asks(state)
    }

    /// Whether a state asks something.
    pub(super) fn asks(&self, state: StateId) -> bool {
        self.inquiry.summary == Some(state) || self.inquiry.point_of(state).is_some()
    }
}
