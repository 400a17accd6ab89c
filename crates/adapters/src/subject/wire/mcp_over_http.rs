//! An MCP server over streamable HTTP.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use ureq::http::Response;

use super::http_agent::{HttpAgent, parse, too_large};
use super::mcp_channel::McpChannel;
use crate::limits::{FAREWELL_TIMEOUT, MAX_ANSWER, MAX_SESSION_HEADER};
use crate::subject::header_spec::HeaderSpec;
use crate::subject::subject_failure::SubjectFailure;
use crate::subject::url_template::UrlTemplate;
use fsmsim_syntax::terminal::TextRedactions;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// An MCP server over streamable HTTP. A response contains its messages as JSON or as an event stream.
pub(super) struct McpOverHttp {
    agent: HttpAgent,
    farewell: HttpAgent,
    url: String,
    session: Option<String>,
    version: Option<String>,
    received: VecDeque<Json>,
    stream: Option<SseStream>,
}

/// A stream of server-sent events.
struct SseStream {
    reader: BufReader<Box<dyn Read + Send>>,
    /// The number of bytes read.
    read: usize,
}

impl McpOverHttp {
    pub(super) fn new(
        url: &UrlTemplate,
        headers: &[HeaderSpec],
        timeout: Duration,
        mask: &mut TextRedactions,
    ) -> Result<Self, SubjectFailure> {
        Ok(Self {
            agent: HttpAgent::new(url, headers, timeout, mask)?,
            farewell: HttpAgent::new(url, headers, timeout.min(FAREWELL_TIMEOUT), mask)?,
            url: url.text().to_owned(),
            session: None,
            version: None,
            received: VecDeque::new(),
            stream: None,
        })
    }

    /// The headers that identify the session.
    fn known_by(&self) -> Vec<(&str, &str)> {
        let session = self.session.as_deref().map(|session| (SESSION, session));
        let version = self.version.as_deref().map(|version| (VERSION, version));
        session.into_iter().chain(version).collect()
    }

    fn take(&mut self, message: Json) {
        match message {
            Json::Array(messages) => self.received.extend(messages),
            message => self.received.push_back(message),
        }
    }

    fn take_response(&mut self, mut response: Response<ureq::Body>) -> Result<(), SubjectFailure> {
        let header = |name: &str| {
            response
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let kind = header("content-type")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let session = header(SESSION).filter(|session| session.len() <= MAX_SESSION_HEADER);
        self.session = self.session.take().or(session);
        if kind.starts_with("text/event-stream") {
            let reader: Box<dyn Read + Send> = Box::new(response.into_body().into_reader());
            self.stream = Some(SseStream {
                reader: BufReader::new(reader),
                read: 0,
            });
            return Ok(());
        }
        let bytes = self.agent.read(&mut response)?;
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            self.take(parse(&bytes)?);
        }
        Ok(())
    }
}

impl McpChannel for McpOverHttp {
    fn send(&mut self, message: &Json) -> Result<(), SubjectFailure> {
        let mut headers = vec![
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ];
        headers.extend(self.known_by());
        let response = self.agent.send(
            "POST",
            &self.url,
            Some(message.to_string().into_bytes()),
            &headers,
        )?;
        let response = self.agent.check(response)?;
        // Responses to notifications and to our own answers contain no messages.
        if message.get("method").is_some() && message.get("id").is_some() {
            self.take_response(response)
        } else {
            Ok(())
        }
    }

    fn receive(&mut self, _: Instant) -> Result<Json, SubjectFailure> {
        loop {
            if let Some(message) = self.received.pop_front() {
                return Ok(message);
            }
            let Some(stream) = &mut self.stream else {
                return Err(SubjectFailure::new("the response contains no answer"));
            };
            match stream.next(&self.agent)? {
                Some(data) => {
                    let message = parse(&data)?;
                    self.take(message);
                }
                None => {
                    self.stream = None;
                    return Err(SubjectFailure::new("the stream ended before the answer"));
                }
            }
        }
    }

    fn agree(&mut self, version: &str) {
        self.version = Some(version.to_owned());
    }
}

impl SseStream {
    /// The data of the next event with data, or `None` at the end.
    fn next(&mut self, agent: &HttpAgent) -> Result<Option<Vec<u8>>, SubjectFailure> {
        let mut data: Vec<u8> = Vec::new();
        loop {
            let mut line = Vec::new();
            let left = MAX_ANSWER.saturating_sub(self.read) as u64;
            let length = self
                .reader
                .by_ref()
                .take(left)
                .read_until(b'\n', &mut line)
                .map_err(|error| agent.broken(&error))?;
            self.read += length;
            if self.read >= MAX_ANSWER {
                return Err(too_large());
            }
            let line = line.trim_ascii_end();
            if line.is_empty() && !data.is_empty() {
                return Ok(Some(data));
            }
            if length == 0 {
                return Ok(None);
            }
            if let Some(part) = line.strip_prefix(b"data:") {
                if !data.is_empty() {
                    data.push(b'\n');
                }
                data.extend_from_slice(part.trim_ascii_start());
            }
        }
    }
}

impl Drop for McpOverHttp {
    fn drop(&mut self) {
        self.stream = None;
        if self.session.is_some() {
            // A failure does not matter here.
            let _ = self
                .farewell
                .send("DELETE", &self.url, None, &self.known_by());
        }
    }
}
