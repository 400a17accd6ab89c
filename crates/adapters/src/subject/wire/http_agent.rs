//! HTTP requests and their failures.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use serde_json::Value as Json;
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};

use super::shown;
use crate::limits::MAX_ANSWER;
use crate::subject::header_spec::{HeaderSpec, HeaderValueSpec};
use crate::subject::subject_failure::SubjectFailure;
use crate::subject::url_template::UrlTemplate;
use fsmsim_syntax::terminal::TextRedactions;

/// Sends requests to one address. Does not follow redirects: the user has agreed to this address only.
pub(super) struct HttpAgent {
    agent: ureq::Agent,
    headers: HeaderMap,
    timeout: Duration,
}

impl HttpAgent {
    /// Creates an agent for an address with the headers of a system under test. Reads secrets now, so that they can be
    /// removed from all output.
    pub(super) fn new(
        url: &UrlTemplate,
        headers: &[HeaderSpec],
        timeout: Duration,
        mask: &mut TextRedactions,
    ) -> Result<Self, SubjectFailure> {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0);
        if url.is_loopback() {
            config = config.proxy(None);
        }
        let mut all = HeaderMap::new();
        for header in headers {
            let wrong = || SubjectFailure::new(format!("cannot send the header `{}`", header.name));
            let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| wrong())?;
            let value = match &header.value {
                HeaderValueSpec::Text(text) => HeaderValue::from_str(text).map_err(|_| wrong())?,
                HeaderValueSpec::Env { variable, prefix } => {
                    let secret = std::env::var(&**variable).unwrap_or_default();
                    // A key read from a file often ends with a line break.
                    let secret = secret.trim();
                    if secret.is_empty() {
                        let reason =
                            format!("the environment variable `{variable}` is not set or is empty");
                        return Err(SubjectFailure::new(reason));
                    }
                    mask.hide(secret);
                    let mut value =
                        HeaderValue::from_str(&format!("{prefix}{secret}")).map_err(|_| wrong())?;
                    value.set_sensitive(true);
                    value
                }
            };
            all.append(name, value);
        }
        Ok(Self {
            agent: config.build().new_agent(),
            headers: all,
            timeout,
        })
    }

    /// Sends a request with this body and these additional headers.
    pub(super) fn send(
        &self,
        method: &str,
        url: &str,
        body: Option<Vec<u8>>,
        more: &[(&str, &str)],
    ) -> Result<Response<ureq::Body>, SubjectFailure> {
        let unwritten =
            |_| SubjectFailure::new("cannot build the request: check the URL and the headers");
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
        let mut request = Request::builder().method(method).uri(url);
        if let Some(headers) = request.headers_mut() {
            headers.extend(self.headers.clone());
        }
        for (name, value) in more {
            request = request.header(*name, *value);
        }
        let sent = match body {
            Some(body) => self.agent.run(request.body(body).map_err(unwritten)?),
            None => self.agent.run(request.body(()).map_err(unwritten)?),
        };
        sent.map_err(|error| self.failure(&error))
    }

    /// Returns the response if its status is successful. Otherwise returns a failure that quotes the start of the body.
    pub(super) fn check(
        &self,
        mut response: Response<ureq::Body>,
    ) -> Result<Response<ureq::Body>, SubjectFailure> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status.is_redirection() {
            let reason = format!(
                "the redirect (status {}) is not followed: use the final URL",
                status.as_u16()
            );
            return Err(SubjectFailure::new(reason));
        }
        let text = self.read(&mut response).unwrap_or_default();
        let said = shown(&String::from_utf8_lossy(&text));
        let said = if said.is_empty() {
            String::new()
        } else {
            format!(": {said}")
        };
        Err(SubjectFailure::new(format!(
            "it returned status {}{said}",
            status.as_u16()
        )))
    }

    /// Reads the body of a response.
    pub(super) fn read(
        &self,
        response: &mut Response<ureq::Body>,
    ) -> Result<Vec<u8>, SubjectFailure> {
        let mut bytes = Vec::new();
        let mut reader = response.body_mut().as_reader().take(MAX_ANSWER as u64 + 1);
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| self.broken(&error))?;
        if bytes.len() > MAX_ANSWER {
            return Err(too_large());
        }
        Ok(bytes)
    }

    /// The failure for an interrupted response.
    pub(super) fn broken(&self, error: &std::io::Error) -> SubjectFailure {
        match error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<ureq::Error>())
        {
            Some(inner) => self.failure(inner),
            None => self.io_failure(error.kind()),
        }
    }

    /// The failure for a request without a response. Omits the text of the error, because it might quote the request.
    fn failure(&self, error: &ureq::Error) -> SubjectFailure {
        let reason = match error {
            ureq::Error::Timeout(_) => return self.timed_out(),
            ureq::Error::Io(error) => return self.io_failure(error.kind()),
            ureq::Error::HostNotFound => "unknown host",
            ureq::Error::Protocol(_) => "the response is not HTTP",
            ureq::Error::LargeResponseHeader(..) => "the response headers are too large",
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => {
                "TLS handshake failed"
            }
            ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                "cannot build the request: check the URL and the headers"
            }
            ureq::Error::BodyExceedsLimit(_) => return too_large(),
            _ => "the connection failed",
        };
        SubjectFailure::new(reason)
    }

    fn io_failure(&self, kind: ErrorKind) -> SubjectFailure {
        SubjectFailure::new(match kind {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => return self.timed_out(),
            ErrorKind::ConnectionRefused => "connection refused",
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => "it closed the connection before it answered",
            ErrorKind::InvalidData => "the response cannot be read",
            _ => "the connection failed",
        })
    }

    fn timed_out(&self) -> SubjectFailure {
        SubjectFailure::new(format!("no answer within {} s", self.timeout.as_secs_f64()))
    }
}

/// The failure for an answer that exceeds the limit.
pub(super) fn too_large() -> SubjectFailure {
    SubjectFailure::new(format!(
        "the answer is larger than {} MiB",
        MAX_ANSWER >> 20
    ))
}

/// Parses an answer as JSON.
pub(super) fn parse(bytes: &[u8]) -> Result<Json, SubjectFailure> {
    serde_json::from_slice(bytes).map_err(|_| {
        let text = shown(&String::from_utf8_lossy(bytes));
        SubjectFailure::new(if text.is_empty() {
            "the answer is empty, expected JSON".to_owned()
        } else {
            format!("the answer is not JSON: {text}")
        })
    })
}
