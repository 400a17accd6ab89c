//! A live model, shared by all dialogues of a run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value as Json;
use ureq::http::{HeaderMap, HeaderValue};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::chat_request::ChatRequest;
use super::completion::Completion;
use super::exchange::{check_status, exchange, parse, read_body};
use super::gigachat::AccessToken;
use super::rate_limiter::RateLimiter;
use super::request_error::RequestError;
use super::secrets::Secrets;
use super::{anthropic, gigachat};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::read_bytes;
use crate::llm::answerer::{FailureKind, Tokens};
use crate::llm::budget::{Budget, Usage};
use crate::llm::provider::{Provider, Structured, Wire};
use crate::llm::seeded_rng::SeededRng;

/// The largest file with certificates, in bytes.
const CERTIFICATES_LIMIT: u64 = 4 << 20;

/// A live model, shared by all dialogues of a run.
#[derive(Debug)]
pub struct Connection {
    /// How it is set up.
    pub(super) provider: Provider,
    /// Its name.
    pub(super) name: Arc<str>,
    agent: ureq::Agent,
    budget: Arc<Budget>,
    rate_limiter: RateLimiter,
    usage: Mutex<Usage>,
    seed: u64,
    /// Numbers for what chance decides: each is used once.
    draws: AtomicU64,
    /// The strictest way of asking that the server takes, as far as is known.
    structured: Mutex<Structured>,
    /// The token, for servers that give one.
    token: Mutex<Option<AccessToken>>,
    secrets: Mutex<Secrets>,
}

impl Connection {
    /// A connection that is not yet open.
    ///
    /// # Errors
    /// Where its certificates cannot be read.
    pub fn new(provider: &Provider, seed: u64, budget: &Arc<Budget>) -> Result<Self, Box<Diagnostic>> {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(provider.timeout))
            .http_status_as_error(false)
            .max_redirects(0);
        if let Some(path) = &provider.ca_file {
            let bytes = read_bytes(path, CERTIFICATES_LIMIT)?;
            let found: Result<Vec<PemItem<'_>>, ureq::Error> = parse_pem(&bytes).collect();
            let certificates = found.unwrap_or_default().into_iter().filter_map(|item| match item {
                PemItem::Certificate(certificate) => Some(certificate),
                _ => None,
            });
            let certificates: Vec<Certificate<'_>> = certificates.collect();
            if certificates.is_empty() {
                let title = format!("`ca_file` of `{}` holds no certificates", provider.name);
                let finding = Diagnostic::error(Code::BadProject, title).about(path.display().to_string());
                return finding.help("give a file in the format PEM: `-----BEGIN CERTIFICATE-----`").fail();
            }
            let roots = RootCerts::new_with_certs(&certificates);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self {
            name: provider.name.as_str().into(),
            agent: config.build().new_agent(),
            budget: Arc::clone(budget),
            rate_limiter: RateLimiter::new(provider.max_per_minute, provider.max_concurrent),
            usage: Mutex::default(),
            seed,
            draws: AtomicU64::new(0),
            structured: Mutex::new(provider.structured),
            token: Mutex::default(),
            secrets: Mutex::default(),
            provider: provider.clone(),
        })
    }

    /// The name and what was used so far.
    pub fn usage(&self) -> (String, Usage) {
        (self.provider.name.clone(), *lock(&self.usage))
    }

    /// The strictest way of asking that the server takes, as far as is known.
    pub(super) fn structured(&self) -> Structured {
        *lock(&self.structured)
    }

    /// The server took a request that asked in this way, after it had refused those that were stricter.
    pub(super) fn accepts(&self, way: Structured) {
        let mut known = lock(&self.structured);
        *known = way.max(*known);
    }

    /// Chance that is drawn once.
    pub(super) fn rng(&self) -> SeededRng {
        SeededRng::of(self.seed, &self.provider.name, self.draws.fetch_add(1, Ordering::Relaxed))
    }

    /// A value without secrets.
    pub(super) fn clean(&self, value: Json) -> Json {
        lock(&self.secrets).clean(value)
    }

    /// A text without secrets.
    pub(super) fn cleaned(&self, text: &str) -> String {
        lock(&self.secrets).cleaned(text)
    }

    /// Whether the server wants a token that can be renewed.
    pub(super) fn has_token(&self) -> bool {
        matches!(self.provider.wire, Wire::GigaChat { .. })
    }

    /// The token is not taken any more.
    pub(super) fn forget_token(&self) {
        *lock(&self.token) = None;
    }

    /// Makes one request; `is_retry` where it follows another that failed.
    pub(super) fn complete(&self, request: &ChatRequest<'_>, is_retry: bool) -> Result<Completion, RequestError> {
        // Who has no key need not wait; a token is asked for behind the wait, so that it is not old when it is used.
        let key = self.key()?;
        let _permit = self.rate_limiter.enter();
        self.budget.check().map_err(RequestError::fatal)?;
        let headers = self.headers(key)?;
        self.budget.take().map_err(RequestError::fatal)?;
        let begun = Instant::now();
        let completion = exchange(&self.agent, &self.provider, request, headers);
        let tokens = completion.as_ref().map_or(Tokens::default(), |completion| completion.tokens);
        self.budget.note(tokens);
        let mut usage = lock(&self.usage);
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
                headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
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
        Ok(headers)
    }

    /// The key, where one is needed.
    fn key(&self) -> Result<Option<String>, RequestError> {
        let Some(variable) = &self.provider.api_key_env else { return Ok(None) };
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
        lock(&self.secrets).add(key);
        Ok(Some(key.to_owned()))
    }

    /// A header that is not to be shown.
    fn secret(&self, text: String) -> Result<HeaderValue, RequestError> {
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            let reason = format!("the key of `{}` has characters that no key has", self.provider.name);
            RequestError::fatal(FailureKind::Nobody.because(reason))
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// A token that is good. Whoever comes while one is asked for waits for it.
    fn token(&self, auth_url: &str, scope: &str, key: &str) -> Result<String, RequestError> {
        let mut known = lock(&self.token);
        if let Some(token) = known.as_ref().filter(|token| token.is_good(SystemTime::now())) {
            return Ok(token.text.clone());
        }
        let post = self.agent.post(auth_url).header("content-type", "application/x-www-form-urlencoded");
        let post = post.header("accept", "application/json").header("rquid", gigachat::request_id(&mut self.rng()));
        let post = post.header("authorization", self.secret(format!("Basic {key}"))?);
        let token = post
            .send(format!("scope={scope}"))
            .map_err(|error| RequestError::of_sending(&error))
            .and_then(check_status)
            .and_then(|mut response| read_body(&mut response))
            .and_then(|text| {
                parse(&text).and_then(|answer| gigachat::token(&answer, SystemTime::now())).map_err(RequestError::fatal)
            });
        let token = token.map_err(|mut error| {
            error.failure.reason = format!("no token was given: {}", error.failure.reason);
            // The status is that of another server than the one that answers.
            error.status = None;
            error
        })?;
        lock(&self.secrets).add(&token.text);
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

/// A lock that somebody left in panic holds what it held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(seed: u64) -> Connection {
        let provider = Provider {
            name: "local".to_owned(),
            wire: Wire::OpenAi,
            base_url: String::new(),
            model: String::new(),
            api_key_env: None,
            timeout: Duration::from_secs(1),
            retries: 0,
            structured: Structured::Schema,
            max_per_minute: None,
            max_concurrent: None,
            ca_file: None,
            price: None,
        };
        Connection::new(&provider, seed, &Arc::default()).unwrap()
    }

    #[test]
    fn pauses_are_spread_by_the_seed_and_never_shorter_than_asked_for() {
        let waits = |seed| -> Vec<Duration> {
            let connection = connection(seed);
            (0..50).map(|_| connection.wait(2.0, None)).collect()
        };
        assert!(waits(0).iter().all(|wait| (1.0..2.0).contains(&wait.as_secs_f64())), "{:?}", waits(0));
        assert_eq!(waits(0), waits(0));
        assert_ne!(waits(0), waits(1));
        assert_eq!(connection(0).wait(2.0, Some(7.0)), Duration::from_secs(7));
        assert!(connection(0).wait(2.0, Some(0.0)) >= Duration::from_secs(1));
    }
}
