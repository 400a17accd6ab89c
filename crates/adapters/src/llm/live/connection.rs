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
use fsmsim_syntax::terminal::TextMask;
use fsmsim_syntax::threads::Mutex;

/// A live model, shared by all dialogues of a run.
#[derive(Debug)]
pub struct Connection {
    /// How it is set up.
    pub(super) provider: Provider,
    pub(super) name: Arc<str>,
    client: HttpClient,
    budget: Arc<Budget>,
    rate_limiter: RateLimiter,
    usage: Mutex<Usage>,
    seed: u64,
    /// Numbers for what chance decides: each is used once.
    draws: AtomicU64,
    /// The strictest way of asking that the server takes, as far as is known.
    structured: Mutex<Structured>,
    /// The ways that it refused, and why.
    refused: Mutex<Vec<(Structured, String)>>,
    /// What came to nothing, and how often.
    failures: Mutex<BTreeMap<String, u64>>,
    /// The token, for servers that give one.
    token: Mutex<Option<GigaChatToken>>,
    secrets: Mutex<TextMask>,
}

impl Connection {
    /// A connection that is not yet open.
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

    /// The most requests at a time.
    pub(in crate::llm) fn open_requests(&self) -> usize {
        self.provider.open_requests() as usize
    }

    /// The name and what was used so far.
    pub fn usage(&self) -> (String, Usage) {
        (self.provider.name.clone(), *self.usage.lock())
    }

    /// What its tokens cost, where that is said.
    pub fn price(&self) -> Option<&TokenPrice> {
        self.provider.price.as_ref()
    }

    /// What it may spend, together with others.
    pub fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }

    /// What came to nothing so far, and how often.
    pub fn failures(&self) -> Vec<(String, u64)> {
        self.failures
            .lock()
            .iter()
            .map(|(why, count)| (why.clone(), *count))
            .collect()
    }

    /// Something came to nothing.
    pub(super) fn note_failure(&self, failure: &AnswerFailure) {
        let mut failures = self.failures.lock();
        if failures.len() < MAX_REPORTED_FAILURES || failures.contains_key(&failure.reason) {
            *failures.entry(failure.reason.clone()).or_default() += 1;
        }
    }

    /// The proxy that leads to its server, without its password.
    pub fn proxy(&self) -> Option<String> {
        self.client
            .route(&self.provider.base_url)
            .map(|route| route.shown())
    }

    /// The ways of asking that its server refused, and why.
    pub fn refused_ways(&self) -> Vec<(Structured, String)> {
        self.refused.lock().clone()
    }

    /// The strictest way of asking that the server takes, as far as is known.
    pub fn structured(&self, kind: TaskKind) -> Structured {
        self.provider.way_from(*self.structured.lock(), kind)
    }

    /// The server refused this way of asking.
    pub(super) fn refuses(&self, way: Structured, why: &str) {
        let mut refused = self.refused.lock();
        if !refused.iter().any(|(known, _)| *known == way) {
            refused.push((way, why.to_owned()));
        }
    }

    /// The server took a request that asked in this way, after it had refused those that were stricter.
    pub(super) fn accepts(&self, way: Structured) {
        let mut known = self.structured.lock();
        *known = way.max(*known);
    }

    /// Chance that is drawn once.
    pub(super) fn rng(&self) -> SeededRng {
        SeededRng::of(
            self.seed,
            &self.provider.name,
            self.draws.fetch_add(1, Ordering::Relaxed),
        )
    }

    /// A value without secrets.
    pub(super) fn clean(&self, value: Json) -> Json {
        self.secrets.lock().clean(value)
    }

    /// A text without secrets.
    pub(super) fn cleaned(&self, text: &str) -> String {
        self.secrets.lock().cleaned(text)
    }

    /// Whether the server wants a token that can be renewed.
    pub(super) fn has_token(&self) -> bool {
        matches!(self.provider.wire, Wire::GigaChat { .. })
    }

    /// The token is not taken any more.
    pub(super) fn forget_token(&self) {
        *self.token.lock() = None;
    }

    /// Makes one request; `is_retry` where it follows another that failed.
    pub(super) fn complete(
        &self,
        request: &ChatRequest<'_>,
        is_retry: bool,
    ) -> Result<Completion, RequestError> {
        // Who has no key need not wait; a token is asked for behind the wait, so that it is not old when it is used.
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

    /// The headers of a request. Where they hold a token, it is asked for first.
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

    /// The key, where one is needed.
    fn key(&self) -> Result<Option<String>, RequestError> {
        self.provider
            .api_key_env
            .as_deref()
            .map(|variable| self.variable(variable))
            .transpose()
    }

    /// The secret in an environment variable.
    fn variable(&self, variable: &str) -> Result<String, RequestError> {
        let nobody = |what: &str| {
            let reason = format!("the environment variable `{variable}` {what}");
            RequestError::fatal(FailureKind::Nobody.because(reason))
        };
        let key = std::env::var(variable).map_err(|_| nobody("is not set"))?;
        // A key read from a file often brings its end of line.
        let key = key.trim();
        if key.is_empty() {
            return Err(nobody("is empty"));
        }
        // Letters of other scripts would be sent as bytes that mean something else to whoever reads them.
        if !key.is_ascii() {
            return Err(nobody(
                "holds letters that no key has: it was perhaps typed in another script",
            ));
        }
        self.secrets.lock().hide(key);
        Ok(key.to_owned())
    }

    /// A header that is not to be shown.
    fn secret(&self, text: String) -> Result<HeaderValue, RequestError> {
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            let reason = format!(
                "the key of `{}` has characters that no key has",
                self.provider.name
            );
            RequestError::fatal(FailureKind::Nobody.because(reason))
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A token that is good. Whoever comes while one is asked for waits for it.
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
            error.failure.reason = format!("no token was given: {}{said}", error.failure.reason);
            // The status is that of another server than the one that answers.
            error.status = None;
            error
        })?;
        self.secrets.lock().hide(&token.text);
        let text = token.text.clone();
        *known = Some(token);
        Ok(text)
    }

    /// How long to wait before another attempt: a part of `pause` by chance, so that those who failed together do not
    /// come back together, but never less than the server asks for.
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
    fn pauses_are_spread_by_the_seed_and_never_shorter_than_asked_for() {
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
