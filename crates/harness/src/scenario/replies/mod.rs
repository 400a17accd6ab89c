//! What is expected of all that was said in a turn: words, length, and what a judge finds.

mod jury;
mod reply_expectation;
mod rubric;
mod sentences;
mod turn_replies;

pub(super) use jury::{Jury, JuryFindings};
pub(super) use reply_expectation::ReplyExpectation;
pub(super) use rubric::Rubric;
pub(super) use turn_replies::TurnReplies;
