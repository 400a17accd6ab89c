//! A live model in a dialogue: retries, pauses and repairs.

use std::sync::Arc;

use serde_json::Value as Json;

use super::answer_objects::{AnswerObjects, ObjectFlaw};
use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::connection::Connection;
use super::reading_fault::{known_names, reading_fault};
use super::request_error::RequestError;
use super::strict_schema::{StrictSchema, without_nulls};
use crate::limits::{MAX_PAUSE, MAX_REPAIRED_ANSWER, MAX_SERVER_WORDS, MAX_STOP_REASON};
use crate::llm::answer_failure::{AnswerFailure, FailureKind};
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use crate::llm::kind::TaskKind;
use crate::llm::prompt::{Prompt, PromptTemplates};
use crate::llm::provider::Structured;
use crate::llm::task::Task;
use crate::llm::tokens::Tokens;
use crate::llm::utterance::Speaker;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::{beginning, printable};

/// The first pause before a retry, in seconds. Each further pause is twice as long.
const FIRST_PAUSE: f64 = 0.25;

/// A live model in a dialogue.
pub(in crate::llm) struct Live {
    pub connection: Arc<Connection>,
    /// The prompt templates of the project, which replace the built-in ones.
    pub prompts: PromptTemplates,
    /// Whether it answers judge requests. A model must not judge its own replies.
    pub judges: bool,
}

impl Answerer for Live {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        if request.task.kind() == TaskKind::Judge && !self.judges {
            return None;
        }
        let today = chrono::Local::now().format("%Y-%m-%d, %A").to_string();
        let prompt = match Prompt::on(&today, &request.task, &self.prompts) {
            Ok(prompt) => prompt,
            Err(failure) => {
                self.note(FailureKind::NoProvider.because(failure.sentence()), failed);
                return None;
            }
        };
        let connection = &*self.connection;
        let mut pause = FIRST_PAUSE;
        let mut retries_left = connection.provider.retries;
        let mut is_retry = false;
        loop {
            let error = match self.attempt(&request.task, &prompt, is_retry, failed) {
                Ok(reply) => return Some(reply),
                Err(error) => error,
            };
            self.note(error.failure, failed);
            // If the server requests a longer pause, a retry before its end would only be refused again.
            if !error.is_retryable || error.retry_after.is_some_and(|seconds| seconds > MAX_PAUSE) {
                return None;
            }
            retries_left = retries_left.checked_sub(1)?;
            std::thread::sleep(connection.wait(pause, error.retry_after));
            pause = (pause * 2.0).min(MAX_PAUSE);
            is_retry = true;
        }
    }
}

impl Live {
    /// Requests an answer. If it is invalid, requests a repaired one once.
    fn attempt(
        &self,
        task: &Task<'_>,
        prompt: &Prompt,
        is_retry: bool,
        failed: &mut Vec<Attempt>,
    ) -> Result<AnswererReply, RequestError> {
        let completion = self.complete(task, prompt, &[], is_retry)?;
        let mut tokens = completion.tokens;
        // Invalid names and data are removed. The rest of the answer is usable even if the repair fails.
        let (failure, usable) = match self.read(&completion, task, &prompt.schema) {
            Ok(value) => match reading_fault(task, &value) {
                Some(failure) => (failure, Some(known_names(task, value))),
                None => return Ok(self.reply(value, &completion, tokens)),
            },
            Err(failure) => (failure, None),
        };
        if failure.kind != FailureKind::WrongSchema {
            return Err(unusable(failure, &completion));
        }
        let shown = beginning(completion.text(), MAX_REPAIRED_ANSWER).to_owned();
        let wish = format!(
            "That cannot be used: {}. Answer again, only with the JSON object.",
            failure.reason
        );
        self.note(failure, failed);
        let repaired = match self.complete(
            task,
            prompt,
            &[(Speaker::Assistant, shown), (Speaker::User, wish)],
            true,
        ) {
            Ok(completion) => {
                tokens += completion.tokens;
                let read = self
                    .read(&completion, task, &prompt.schema)
                    .map_err(|failure| unusable(failure, &completion));
                read.map(|value| self.reply(known_names(task, value), &completion, tokens))
            }
            Err(error) => Err(error),
        };
        match (repaired, usable) {
            (Err(_), Some(value)) => Ok(self.reply(value, &completion, tokens)),
            (repaired, _) => repaired,
        }
    }

    /// Sends a request in the strictest mode that the server accepts.
    fn complete(
        &self,
        task: &Task<'_>,
        prompt: &Prompt,
        since: &[(Speaker, String)],
        mut is_retry: bool,
    ) -> Result<Completion, RequestError> {
        let connection = &*self.connection;
        let kind = task.kind();
        let provider = &connection.provider;
        let strict = StrictSchema::of(&prompt.schema, &task.slots(), &provider.wire)
            .filter(|_| provider.strict);
        // A server that accepts strict schemas only cannot enforce a schema without a strict form.
        let way_from = |way| match provider.way_from(way, kind) {
            Structured::Schema if strict.is_none() && provider.wire.is_always_strict() => {
                provider.way_from(Structured::Tool, kind)
            }
            way => way,
        };
        let mut structured = way_from(connection.structured(kind));
        let mut renewed = false;
        loop {
            let request = ChatRequest {
                model: &provider.model,
                prompt,
                since,
                kind,
                structured,
                strict: strict.as_ref(),
                cache: provider.cache,
            };
            let error = match connection.complete(&request, is_retry) {
                Ok(completion) => {
                    // Only success in this mode proves that the server refused the stricter mode, not another part of
                    // the request.
                    connection.accepts(structured);
                    return Ok(completion);
                }
                Err(error) => error,
            };
            match (error.status, structured.lower()) {
                (_, Some(lower)) if error.blames_way => {
                    connection.refuses(structured, &error.failure.reason);
                    structured = way_from(lower);
                }
                (Some(401), _) if connection.has_token() && !renewed => {
                    connection.forget_token();
                    renewed = true;
                }
                _ => return Err(error),
            }
            is_retry = true;
        }
    }

    /// Extracts the answer from the completion: the last valid object in its text. Secrets are removed before
    /// validation, because errors quote the answer.
    fn read(
        &self,
        completion: &Completion,
        task: &Task<'_>,
        schema: &Json,
    ) -> Result<Value, AnswerFailure> {
        let objects = AnswerObjects::of(completion.text());
        let mut wrong = None;
        // An object before a length limit, or before an unfinished object, may be a draft of an answer that never
        // arrived. Small models with an enforced schema often continue with white space until the limit: their answer
        // is complete.
        let is_whole = completion.text().trim_end().ends_with('}');
        let is_draft = completion.is_cut_off() && !is_whole || objects.ends_open;
        for object in objects.found.iter().rev().filter(|_| !is_draft) {
            let object = without_nulls(self.connection.clean(object.clone()), schema);
            match accept(object, task) {
                Ok(value) if completion.declined().is_none() => return Ok(value),
                Ok(_) => break,
                // Only the error of the last object is reported.
                Err(failure) => wrong = wrong.or(Some(failure)),
            }
        }
        if let Some(declined) = completion.declined() {
            let reason = self.shown(&declined.reason);
            return Err(declined.kind.because(reason));
        }
        Err(if completion.is_too_long() {
            FailureKind::CutOff.because(
                "the answer was cut off: prompt and answer exceed the context window of the model",
            )
        } else if completion.is_cut_off() {
            FailureKind::CutOff.because("the answer was cut off: the model reached its token limit")
        } else if objects.ends_open && !objects.found.is_empty() {
            FailureKind::CutOff
                .because("the answer was cut off: it ends with an unfinished JSON object")
        } else if objects.flaw == ObjectFlaw::CutOff && completion.finish_reason.is_none() {
            FailureKind::CutOff.because("the answer is not valid JSON")
        } else if let Some(wrong) = wrong {
            wrong
        } else if objects.flaw != ObjectFlaw::None {
            // The model stopped normally, but left a JSON object unclosed.
            FailureKind::WrongSchema.because("the answer is not valid JSON")
        } else if objects.has_words {
            FailureKind::WrongSchema.because("the answer is not a JSON object")
        } else if objects.thought || completion.thought {
            FailureKind::Empty.because("the model returned its reasoning, but no answer")
        } else {
            FailureKind::Empty.failure()
        })
    }

    /// The text of a model for display in a failure.
    fn shown(&self, words: &str) -> String {
        let words = self.connection.cleaned(words);
        printable(beginning(&words, MAX_SERVER_WORDS))
    }

    fn reply(&self, value: Value, completion: &Completion, tokens: Tokens) -> AnswererReply {
        // Remove secrets before truncation: a truncated secret would not be recognized.
        let short = |stop: &str| {
            self.connection
                .cleaned(stop)
                .chars()
                .take(MAX_STOP_REASON)
                .collect::<String>()
                .into()
        };
        let stop = completion.finish_reason.as_deref().map(short);
        AnswererReply {
            by: Arc::clone(&self.connection.name),
            value,
            fresh: true,
            tokens,
            stop,
        }
    }

    fn note(&self, failure: AnswerFailure, failed: &mut Vec<Attempt>) {
        self.connection.note_failure(&failure);
        failed.push(Attempt {
            by: Arc::clone(&self.connection.name),
            failure,
        });
    }
}

/// The error for an invalid answer.
fn unusable(failure: AnswerFailure, completion: &Completion) -> RequestError {
    // Retrying does not help if the model refused, reached a limit, or failed to repair its answer.
    if matches!(
        failure.kind,
        FailureKind::WrongSchema | FailureKind::Declined
    ) || completion.is_cut_off()
    {
        RequestError::fatal(failure)
    } else {
        RequestError::retryable(failure)
    }
}

/// Validates an answer.
fn accept(answer: Json, task: &Task<'_>) -> Result<Value, AnswerFailure> {
    let value = Value::from(answer);
    task.kind().check(&value)?;
    if let Task::Classify(reading) = task {
        let intent = value
            .get("intent")
            .and_then(Value::as_text)
            .unwrap_or_default();
        if !reading.intents.iter().any(|offer| offer.intent == intent) {
            return Err(FailureKind::WrongSchema.because("the answer has an unknown `intent`"));
        }
    }
    Ok(value)
}
