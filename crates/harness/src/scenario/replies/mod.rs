//! Expectations for the replies in a turn: content, length, and rubrics for a judge.

mod judge_panel;
mod reply_expectation;
mod rubric;
mod sentences;
mod turn_replies;

pub(super) use judge_panel::{JudgePanel, JuryFindings};
pub(super) use reply_expectation::ReplyExpectation;
pub(super) use rubric::Rubric;
pub(super) use turn_replies::TurnReplies;
