//! Expectations of the replies of a turn: content, length, and rubrics for a judge.

mod jury;
mod reply_expectation;
mod rubric;
mod sentences;
mod turn_replies;

pub(super) use jury::{Jury, JuryFindings};
pub(super) use reply_expectation::ReplyExpectation;
pub(super) use rubric::Rubric;
pub(super) use turn_replies::TurnReplies;
