//! Queries a judge about the replies of a turn.

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

/// Queries a judge about the replies of the last turn.
pub(crate) struct JudgePanel<'j> {
    pub runner: &'j mut DialogueRunner,
    pub said: &'j TurnReplies,
    /// Whether a judge is configured.
    pub is_there: bool,
}

/// The verdicts of the judge about a turn.
#[derive(Debug, Default)]
pub(crate) struct JuryFindings {
    /// Rubrics that did not pass.
    pub mismatches: Vec<FieldMismatch>,
    /// Why a rubric was not judged.
    pub failure: Option<AnswerFailure>,
    /// Whether the judge was queried.
    pub asked: bool,
}

/// The votes about a rubric.
#[derive(Default)]
struct Votes {
    passed: u32,
    failed: u32,
    /// The first vote against it: the judge and its reason.
    reason: Option<String>,
    /// Why the first missing vote is missing.
    missing: Option<AnswerFailure>,
}

impl JudgePanel<'_> {
    /// Judges the rubrics one after the other. `standing` is the key of an expectation that applies to every turn.
    pub(crate) fn judge<'r>(
        &mut self,
        rubrics: impl Iterator<Item = (&'r Rubric, Option<&'static str>)>,
    ) -> JuryFindings {
        let mut verdicts = JuryFindings::default();
        for (rubric, standing) in rubrics {
            // Without replies there is nothing to judge, so the judge is not queried.
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

    /// Queries the judge until the votes decide. Stops at a vote that is not in the cassette.
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

/// The reason if no judge is configured.
const NO_JUDGE: &str = "no judge is configured: add `[llm.judge]` to `fsmsim.toml`, with `--judge live` for a live model, or use \
                        `--judge mock:FILE`";

impl Votes {
    /// The reason of the judge, and the counts if there are several votes.
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
