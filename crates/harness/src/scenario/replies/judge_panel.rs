//! Asks a judge about the replies in a turn.

use super::rubric::Rubric;
use super::turn_replies::TurnReplies;
use crate::limits::MAX_JUDGED_TEXT;
use crate::scenario::expectation_failure::FieldMismatch;
use crate::scenario::matcher::Mismatch;
use fsmsim_adapters::llm::{AnswerFailure, FailureKind};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::terminal::{beginning, printable};

/// Asks a judge about the replies in the last turn.
pub(crate) struct JudgePanel<'j> {
    pub runner: &'j mut DialogueRunner,
    pub said: &'j TurnReplies,
    /// Whether a judge is configured.
    pub is_there: bool,
}

/// The verdict of the judge on a turn.
#[derive(Debug, Default)]
pub(crate) struct JuryFindings {
    /// The rubrics that the replies do not meet.
    pub mismatches: Vec<FieldMismatch>,
    /// Why a rubric could not be judged.
    pub failure: Option<AnswerFailure>,
    /// Whether the judge was asked.
    pub asked: bool,
}

/// The votes on a rubric.
#[derive(Default)]
struct Votes {
    passed: u32,
    failed: u32,
    /// The judge's reason for the first vote against the replies.
    reason: Option<String>,
    /// Why the first of the missing votes is missing.
    missing: Option<AnswerFailure>,
}

impl JudgePanel<'_> {
    /// Judges the rubrics one after the other. `standing` is the key of the expectation, if it applies to every turn.
    pub(crate) fn judge<'r>(
        &mut self,
        rubrics: impl Iterator<Item = (&'r Rubric, Option<&'static str>)>,
    ) -> JuryFindings {
        let mut verdicts = JuryFindings::default();
        for (rubric, standing) in rubrics {
            // Without replies there is nothing to judge, so the judge is not asked.
            let nearest = if self.said.count == 0 {
                Some("the assistant did not reply, so the judge was not called".to_owned())
            } else if self.is_there {
                verdicts.asked = true;
                let votes = self.votes(rubric);
                if votes.passed >= rubric.at_least {
                    None
                } else if votes.failed > rubric.votes - rubric.at_least {
                    Some(votes.explanation(rubric))
                } else {
                    verdicts.failure = verdicts.failure.or(votes.missing);
                    None
                }
            } else {
                verdicts
                    .failure
                    .get_or_insert_with(|| FailureKind::NoProvider.because(NO_JUDGE));
                None
            };
            verdicts
                .mismatches
                .extend(nearest.map(|nearest| self.mismatch(rubric, standing, nearest)));
        }
        verdicts
    }

    /// Asks the judge until the votes are decisive. Stops if the cassette lacks a vote.
    fn votes(&mut self, rubric: &Rubric) -> Votes {
        let mut votes = Votes::default();
        for _ in 0..rubric.votes {
            match self
                .runner
                .ask_judge(&rubric.text, self.said.text(), self.said.count)
            {
                Ok(reply) if reply.value.get("passed") == Some(&Value::Bool(true)) => {
                    votes.passed += 1;
                }
                Ok(reply) => {
                    votes.failed += 1;
                    let words = reply
                        .value
                        .get("reason")
                        .and_then(Value::as_text)
                        .unwrap_or_default();
                    let words = printable(beginning(words, MAX_JUDGED_TEXT));
                    votes
                        .reason
                        .get_or_insert_with(|| format!("{} judged: {words}", printable(&reply.by)));
                }
                Err(failure) => {
                    let is_lost = failure.kind == FailureKind::NotRecorded;
                    votes.missing.get_or_insert(failure);
                    if is_lost {
                        break;
                    }
                }
            }
            if votes.passed >= rubric.at_least || votes.failed > rubric.votes - rubric.at_least {
                break;
            }
        }
        votes
    }

    fn mismatch(
        &self,
        rubric: &Rubric,
        standing: Option<&'static str>,
        nearest: String,
    ) -> FieldMismatch {
        let expected = format!(
            "a reply that the judge accepts: {}",
            Value::text(&rubric.text)
        );
        let actual = self.said.messages.to_string();
        let mismatch = Mismatch {
            nearest: Some(nearest),
            ..Mismatch::new("replies", expected, actual)
        };
        FieldMismatch {
            standing,
            by_judge: self.said.count > 0,
            ..FieldMismatch::plain(rubric.span, RecordField::Replies, mismatch)
        }
    }
}

/// The reason that is shown if no judge is configured.
const NO_JUDGE: &str = "no judge is configured: add `[llm.judge]` to `fsmsim.toml`, with `--judge live` for a live model, or use \
                        `--judge mock:FILE`";

impl Votes {
    /// The judge's reason, and the number of votes if there are several.
    fn explanation(&self, rubric: &Rubric) -> String {
        let reason = self.reason.as_deref().unwrap_or_default();
        match rubric.votes {
            1 => reason.to_owned(),
            votes => {
                let passed = self.passed;
                let failed = self.failed;
                let least = rubric.at_least;
                format!("{reason} ({passed} for, {failed} against; {least} of {votes} required)")
            }
        }
    }
}
