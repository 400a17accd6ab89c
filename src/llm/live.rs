//! A live model over HTTP: the chat completions that `OpenAI` and many servers speak.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::answerer::{Answerer, Attempt, Failure, FailureKind, Reply, Request, Tokens};
use super::prompt::{Prompt, read};
use super::provider::Provider;
use super::usage::Usage;

/// The largest answer that is read, in bytes.
const ANSWER_LIMIT: u64 = 1 << 20;
/// The longest pause before another attempt, in seconds.
const LONGEST_PAUSE: f64 = 30.0;
/// The first pause before another attempt, in seconds; each further one is twice as long.
const FIRST_PAUSE: f64 = 0.25;

/// The length of a key from which on it cannot stand in an answer by chance, in bytes.
const SECRET: usize = 12;

/// A live model, shared by all dialogues of a run.
#[derive(Debug)]
pub struct Connection {
    provider: Provider,
    name: Arc<str>,
    agent: ureq::Agent,
    /// The server takes a schema for the answer, as far as is known.
    structured: AtomicBool,
    usage: Mutex<Usage>,
}

/// A live model during one dialogue.
pub(super) struct Live {
    connection: Arc<Connection>,
}

/// How an attempt failed, and when another one may be made.
struct Fall {
    failure: Failure,
    /// Seconds to wait; nothing where another attempt would not help.
    again_after: Option<f64>,
    /// The server may have refused the request for its schema.
    refuses_schema: bool,
}

impl Connection {
    /// A connection that is not yet open.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        let timeout = Duration::try_from_secs_f64(provider.timeout_s).unwrap_or(Duration::from_secs(30));
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .build()
            .new_agent();
        Self {
            name: provider.name.as_str().into(),
            provider,
            agent,
            structured: AtomicBool::new(true),
            usage: Mutex::default(),
        }
    }

    /// The name and what was used so far.
    #[must_use]
    pub fn usage(&self) -> (String, Usage) {
        let usage = *self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        (self.provider.name.clone(), usage)
    }

    fn note(&self, again: bool, time: Duration, tokens: Tokens) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.calls += 1;
        usage.retries += u64::from(again);
        usage.time += time;
        usage.tokens.asked += tokens.asked;
        usage.tokens.answered += tokens.answered;
    }

    /// One attempt.
    fn ask(&self, request: &Request<'_>, prompt: &Prompt) -> Result<Reply, Fall> {
        let sampling = request.task.kind().sampling();
        let url = format!("{}/chat/completions", self.provider.base_url.trim_end_matches('/'));
        let mut body = json!({
            "model": self.provider.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "stream": false,
        });
        if self.structured.load(Ordering::Relaxed) {
            let schema = json!({"name": request.task.kind().name(), "schema": prompt.schema});
            let format = json!({"type": "json_schema", "json_schema": schema});
            if let Some(body) = body.as_object_mut() {
                body.insert("response_format".to_owned(), format);
            }
        }
        let mut post = self.agent.post(&url).header("content-type", "application/json");
        let mut secret = None;
        if let Some(variable) = &self.provider.api_key_env {
            let Ok(key) = std::env::var(variable) else {
                let reason = format!("the environment variable `{variable}` is not set");
                return Err(final_fall(FailureKind::Nobody, reason));
            };
            post = post.header("authorization", format!("Bearer {key}"));
            secret = Some(key).filter(|key| key.len() >= SECRET);
        }
        let mut response = post.send(body.to_string()).map_err(|error| fall_of(&error))?;
        let status = response.status().as_u16();
        if status != 200 {
            let asked =
                response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            return Err(fall_of_status(status, asked));
        }
        let text = response
            .body_mut()
            .with_config()
            .limit(ANSWER_LIMIT)
            .read_to_string()
            .map_err(|error| fall_of(&error))?;
        let reply = words(&text).and_then(|(words, tokens, stop)| {
            // Answers are written to traces, snapshots and cassettes.
            let told = |key: &String| {
                words.contains(&**key) || stop.as_ref().is_some_and(|stop| stop.contains(&**key))
            };
            if secret.as_ref().is_some_and(told) {
                let reason = "the answer gives the key away".to_owned();
                return Err(Failure { kind: FailureKind::WrongSchema, reason });
            }
            Ok(Reply {
                by: Arc::clone(&self.name),
                value: read(&words, &request.task)?,
                fresh: true,
                tokens,
                stop,
            })
        });
        reply.map_err(|failure| Fall {
            // A model at temperature 0 says the same again; a broken answer may pass.
            again_after: (failure.kind != FailureKind::WrongSchema).then_some(FIRST_PAUSE),
            failure,
            refuses_schema: false,
        })
    }
}

impl Live {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection }
    }
}

impl Answerer for Live {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<Reply> {
        let prompt = Prompt::of(&request.task);
        let mut pause = FIRST_PAUSE;
        let connection = &*self.connection;
        let mut left = connection.provider.retries;
        let mut again = false;
        loop {
            let begun = Instant::now();
            let asked = connection.ask(request, &prompt);
            let tokens = asked.as_ref().map_or(Tokens::default(), |reply| reply.tokens);
            connection.note(again, begun.elapsed(), tokens);
            again = true;
            match asked {
                Ok(reply) => return Some(reply),
                // Not every server takes a schema; the prompt says the same in words.
                Err(fall) if fall.refuses_schema && connection.structured.swap(false, Ordering::Relaxed) => {}
                Err(fall) => {
                    failed.push(Attempt { by: Arc::clone(&connection.name), failure: fall.failure });
                    left = left.checked_sub(1)?;
                    let seconds = fall.again_after?.max(pause).min(LONGEST_PAUSE);
                    std::thread::sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default());
                    pause *= 2.0;
                }
            }
        }
    }
}

/// The words of the model in the answer of the server, what they cost, and why they ended.
fn words(text: &str) -> Result<(String, Tokens, Option<Box<str>>), Failure> {
    let answer: Json = serde_json::from_str(text).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::CutOff } else { FailureKind::WrongSchema };
        Failure { kind, reason: "the answer of the server is no JSON".to_owned() }
    })?;
    match answer.pointer("/choices/0/message/content").and_then(Json::as_str) {
        Some(words) => {
            let count = |path: &str| answer.pointer(path).and_then(Json::as_u64).unwrap_or(0);
            let tokens =
                Tokens { asked: count("/usage/prompt_tokens"), answered: count("/usage/completion_tokens") };
            let stop = answer.pointer("/choices/0/finish_reason").and_then(Json::as_str);
            Ok((words.to_owned(), tokens, stop.map(Into::into)))
        }
        None => {
            let reason = "the answer of the server has no `choices[0].message.content`".to_owned();
            Err(Failure { kind: FailureKind::WrongSchema, reason })
        }
    }
}

fn final_fall(kind: FailureKind, reason: String) -> Fall {
    Fall { failure: Failure { kind, reason }, again_after: None, refuses_schema: false }
}

fn fall_of_status(status: u16, asked: Option<f64>) -> Fall {
    let pause = asked.filter(|seconds: &f64| *seconds >= 0.0).unwrap_or(FIRST_PAUSE);
    let (kind, again_after) = match status {
        429 => (FailureKind::RateLimited, Some(pause)),
        500..=599 => (FailureKind::ServerError, Some(pause)),
        _ => (FailureKind::ServerError, None),
    };
    Fall {
        failure: Failure { kind, reason: format!("the server answered with the status {status}") },
        again_after,
        refuses_schema: matches!(status, 400 | 404 | 422),
    }
}

/// A failure on the way. The error's own words are left out: they may quote the request.
fn fall_of(error: &ureq::Error) -> Fall {
    let kind = match error {
        ureq::Error::Timeout(_) => FailureKind::TimeOut,
        ureq::Error::BodyExceedsLimit(_) => FailureKind::TooLarge,
        ureq::Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => FailureKind::CutOff,
        ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => FailureKind::TimeOut,
        ureq::Error::Protocol(_) => FailureKind::CutOff,
        _ => FailureKind::Refused,
    };
    let again_after = (kind != FailureKind::TooLarge).then_some(FIRST_PAUSE);
    Fall { failure: kind.failure(), again_after, refuses_schema: false }
}
