//! A live model, shared by all dialogues of a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value as Json;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::exchange::{check_status, exchange, parse};
use super::gigachat::GigaChatToken;
use super::http_client::HttpClient;
use super::rate_limiter::RateLimiter;
use super::refusal::explain;
use super::request_error::RequestError;
use super::response_body::ResponseBody;
use super::{anthropic, gigachat};
use crate::limits::MAX_REPORTED_FAILURES;
use crate::llm::answer_failure::{AnswerFailure, FailureKind};
use crate::llm::budget::{Budget, Usage};
use crate::llm::header_setting::HeaderSource;
use crate::llm::kind::TaskKind;
use crate::llm::provider::{Provider, Structured, Wire};
use crate::llm::seeded_rng::SeededRng;
use crate::llm::token_price::TokenPrice;
use crate::llm::tokens::Tokens;
use fsmsim_syntax::diagnostic::Checked;
use fsmsim_syntax::terminal::TextRedactions;
use fsmsim_syntax::threads::Mutex;

/// A live model, shared by all dialogues of a run.
#[derive(Debug)]
pub struct Connection {
    pub(super) provider: Provider,
    pub(super) name: Arc<str>,
    client: HttpClient,
    budget: Arc<Budget>,
    rate_limiter: RateLimiter,
    usage: Mutex<Usage>,
    seed: u64,
    /// The number of random draws so far. Each draw uses a separate stream.
    draws: AtomicU64,
    /// The strictest structured output mode that the server is known to accept.
    structured: Mutex<Structured>,
    /// The modes that the server refused, with the reasons.
    refused: Mutex<Vec<(Structured, String)>>,
    /// The failures with counts.
    failures: Mutex<BTreeMap<String, u64>>,
    /// The access token, for servers that issue one.
    token: Mutex<Option<GigaChatToken>>,
    secrets: Mutex<TextRedactions>,
}

impl Connection {
    /// A connection that is not open yet.
    pub fn new(provider: &Provider, seed: u64, budget: &Arc<Budget>) -> Checked<Self> {
        Ok(Self {
            name: provider.name.as_str().into(),
            client: HttpClient::new(provider)?,
            budget: Arc::clone(budget),
            rate_limiter: RateLimiter::new(provider.max_per_minute, Some(provider.open_requests())),
            usage: Mutex::default(),
            seed,
            draws: AtomicU64::new(0),
            structured: Mutex::new(provider.structured),
            refused: Mutex::default(),
            failures: Mutex::default(),
            token: Mutex::default(),
            secrets: Mutex::default(),
            provider: provider.clone(),
        })
    }

    /// Maximum number of parallel requests.
    pub(in crate::llm) fn open_requests(&self) -> usize {
        self.provider.open_requests() as usize
    }

    /// The name and the usage so far.
    pub fn usage(&self) -> (String, Usage) {
        (self.provider.name.clone(), *self.usage.lock())
    }

    /// The token price, if set.
    pub fn price(&self) -> Option<&TokenPrice> {
        self.provider.price.as_ref()
    }

    /// The budget, shared with other models.
    pub fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }

    /// The failures so far, with counts.
    pub fn failures(&self) -> Vec<(String, u64)> {
        self.failures
            .lock()
            .iter()
            .map(|(why, count)| (why.clone(), *count))
            .collect()
    }

    /// Counts a failure.
    pub(super) fn note_failure(&self, failure: &AnswerFailure) {
        let mut failures = self.failures.lock();
        if failures.len() < MAX_REPORTED_FAILURES || failures.contains_key(&failure.reason) {
            *failures.entry(failure.reason.clone()).or_default() += 1;
        }
    }

    /// The proxy for the server, without its password.
    pub fn proxy(&self) -> Option<String> {
        self.client
            .route(&self.provider.base_url)
            .map(|route| route.shown())
    }

    /// The modes that the server refused, with the reasons.
    pub fn refused_ways(&self) -> Vec<(Structured, String)> {
        self.refused.lock().clone()
    }

    /// The strictest structured output mode that the server is known to accept.
    pub fn structured(&self, kind: TaskKind) -> Structured {
        self.provider.way_from(*self.structured.lock(), kind)
    }

    /// Records that the server refused this mode.
    pub(super) fn refuses(&self, way: Structured, why: &str) {
        let mut refused = self.refused.lock();
        if !refused.iter().any(|(known, _)| *known == way) {
            refused.push((way, why.to_owned()));
        }
    }

    /// Records that the server accepted this mode, after it refused stricter ones.
    pub(super) fn accepts(&self, way: Structured) {
        let mut known = self.structured.lock();
        *known = way.max(*known);
    }

    /// A new stream of random numbers.
    pub(super) fn rng(&self) -> SeededRng {
        SeededRng::of(
            self.seed,
            &self.provider.name,
            self.draws.fetch_add(1, Ordering::Relaxed),
        )
    }

    /// Removes secrets from a value.
    pub(super) fn clean(&self, value: Json) -> Json {
        self.secrets.lock().clean(value)
    }

    /// Removes secrets from a text.
    pub(super) fn cleaned(&self, text: &str) -> String {
        self.secrets.lock().cleaned(text)
    }

    /// Whether the server requires a renewable token.
    pub(super) fn has_token(&self) -> bool {
        matches!(self.provider.wire, Wire::GigaChat { .. })
    }

    /// Discards a rejected token.
    pub(super) fn forget_token(&self) {
        *self.token.lock() = None;
    }

    /// Sends a request. `is_retry` is set after a failure.
    pub(super) fn complete(
        &self,
        request: &ChatRequest<'_>,
        is_retry: bool,
    ) -> Result<Completion, RequestError> {
        // Fail early if the key is missing. The token is requested after the wait, so that it does not expire before
        // use.
        let key = self.key()?;
        let _permit = self.rate_limiter.enter();
        self.budget.check().map_err(RequestError::fatal)?;
        let headers = self.headers(key)?;
        self.budget.take().map_err(RequestError::fatal)?;
        let begun = Instant::now();
        let completion = exchange(&self.client, &self.provider, request, &headers)
            .map_err(|error| explain(error, &self.provider, request, &|text| self.cleaned(text)));
        let tokens = completion
            .as_ref()
            .map_or(Tokens::default(), |completion| completion.tokens);
        self.budget.note(tokens);
        let mut usage = self.usage.lock();
        usage.calls += 1;
        usage.retries += u64::from(is_retry);
        usage.time += begun.elapsed();
        usage.tokens += tokens;
        completion
    }

    /// The headers of a request. Requests an access token first, if one is needed.
    fn headers(&self, key: Option<String>) -> Result<HeaderMap, RequestError> {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        match (&self.provider.wire, key) {
            (Wire::Anthropic, key) => {
                headers.insert(
                    "anthropic-version",
                    HeaderValue::from_static(anthropic::VERSION),
                );
                if let Some(key) = key {
                    headers.insert("x-api-key", self.secret(key)?);
                }
            }
            (Wire::GigaChat { auth_url, scope }, Some(key)) => {
                let token = self.token(auth_url, scope, &key)?;
                headers.insert("authorization", self.secret(format!("Bearer {token}"))?);
            }
            (Wire::OpenAi, Some(key)) => {
                headers.insert("authorization", self.secret(format!("Bearer {key}"))?);
            }
            (Wire::OpenAi | Wire::GigaChat { .. }, None) => {}
        }
        for header in &self.provider.headers {
            let Ok(name) = HeaderName::try_from(header.name.as_str()) else {
                continue;
            };
            let value = match &header.source {
                HeaderSource::Constant(text) => self.secret(text.clone())?,
                HeaderSource::Variable { name, prefix } => {
                    self.secret(format!("{prefix}{}", self.variable(name)?))?
                }
            };
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// The key, if one is needed.
    fn key(&self) -> Result<Option<String>, RequestError> {
        self.provider
            .api_key_env
            .as_deref()
            .map(|variable| self.variable(variable))
            .transpose()
    }

    /// The secret in an environment variable.
    fn variable(&self, variable: &str) -> Result<String, RequestError> {
        let failure = |what: &str| {
            let reason = format!("the environment variable `{variable}` {what}");
            RequestError::fatal(FailureKind::NoProvider.because(reason))
        };
        let key = std::env::var(variable).map_err(|_| failure("is not set"))?;
        // A key read from a file often ends with a line break.
        let key = key.trim();
        if key.is_empty() {
            return Err(failure("is empty"));
        }
        // Characters outside of ASCII would be sent as bytes that servers interpret differently.
        if !key.is_ascii() {
            return Err(failure("contains characters outside of ASCII"));
        }
        self.secrets.lock().hide(key);
        Ok(key.to_owned())
    }

    /// A header value that is hidden in debug output.
    fn secret(&self, text: String) -> Result<HeaderValue, RequestError> {
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            let reason = format!(
                "the key of `{}` contains invalid characters",
                self.provider.name
            );
            RequestError::fatal(FailureKind::NoProvider.because(reason))
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A valid access token. Concurrent callers wait for a pending request.
    fn token(&self, auth_url: &str, scope: &str, key: &str) -> Result<String, RequestError> {
        let mut known = self.token.lock();
        if let Some(token) = known
            .as_ref()
            .filter(|token| token.is_good(SystemTime::now()))
        {
            return Ok(token.text.clone());
        }
        let post = self
            .client
            .post(auth_url, self.provider.timeout)?
            .header("content-type", "application/x-www-form-urlencoded");
        let post = post
            .header("accept", "application/json")
            .header("rquid", gigachat::request_id(&mut self.rng()));
        let post = post.header("authorization", self.secret(format!("Basic {key}"))?);
        let token = post
            .send(format!("scope={scope}"))
            .map_err(|error| self.client.error_of_sending(auth_url, &error))
            .and_then(check_status)
            .and_then(ResponseBody::text)
            .and_then(|text| parse(&text))
            .and_then(|answer| {
                gigachat::token(&answer, SystemTime::now()).map_err(RequestError::fatal)
            });
        let token = token.map_err(|mut error| {
            let said = error.said.shown(|text| self.cleaned(text));
            let said = if said.is_empty() {
                said
            } else {
                format!(": {said}")
            };
            error.failure.reason = format!("cannot get a token: {}{said}", error.failure.reason);
            // The status is from the token server, not from the model server.
            error.status = None;
            error
        })?;
        self.secrets.lock().hide(&token.text);
        let text = token.text.clone();
        *known = Some(token);
        Ok(text)
    }

    /// The pause before a retry: a random part of `pause`, but at least as long as the server requests. Clients that
    /// failed at the same time thus retry at different times.
    pub(super) fn wait(&self, pause: f64, retry_after: Option<f64>) -> Duration {
        let drawn = f64::from(self.rng().below(1 << 16)) / f64::from(1 << 16);
        let seconds = (pause * (0.5 + drawn / 2.0)).max(retry_after.unwrap_or(0.0));
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(seed: u64) -> Connection {
        let provider = Provider::new("local", Wire::OpenAi, "", "");
        Connection::new(&provider, seed, &Arc::default()).unwrap()
    }

    #[test]
    fn pauses_depend_on_the_seed_and_respect_retry_after() {
        let waits = |seed| -> Vec<Duration> {
            let connection = connection(seed);
            (0..50).map(|_| connection.wait(2.0, None)).collect()
        };
        assert!(
            waits(0)
                .iter()
                .all(|wait| (1.0..2.0).contains(&wait.as_secs_f64())),
            "{:?}",
            waits(0)
        );
        assert_eq!(waits(0), waits(0));
        assert_ne!(waits(0), waits(1));
        assert_eq!(connection(0).wait(2.0, Some(7.0)), Duration::from_secs(7));
        assert!(connection(0).wait(2.0, Some(0.0)) >= Duration::from_secs(1));
    }
}
