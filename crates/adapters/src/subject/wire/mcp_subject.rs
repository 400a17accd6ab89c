//! A system under test that is a tool of an MCP server.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::mcp_channel::McpChannel;
use super::mcp_over_http::McpOverHttp;
use super::mcp_process::McpProcess;
use super::shown;
use crate::limits::{MAX_NAMED, MAX_TOOL_PAGES, START_TIMEOUT};
use crate::subject::mcp_spec::{McpServerSpec, McpSpec};
use crate::subject::request_template::RequestTemplate;
use crate::subject::subject_failure::SubjectFailure;
use crate::subject::subject_turn::TurnValues;
use crate::subject::subject_wire::SubjectWire;
use fsmsim_syntax::diagnostic::nearest;
use fsmsim_syntax::terminal::TextRedactions;

/// Protocol versions that support the tool calls used here. The client offers the first one.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The JSON-RPC error code for an unknown method.
const NO_METHOD: i64 = -32601;

/// A system under test that is a tool of an MCP server: one connection per dialogue, one call per turn.
pub(super) struct McpSubject {
    channel: Box<dyn McpChannel>,
    tool: Box<str>,
    arguments: RequestTemplate,
    timeout: Duration,
    /// The ID of the last request.
    id: u64,
}

impl McpSubject {
    /// Opens the connection and checks that the tool exists.
    pub(super) fn connect(
        spec: &McpSpec,
        timeout: Duration,
        root: &Path,
        mask: &mut TextRedactions,
    ) -> Result<Self, SubjectFailure> {
        let channel: Box<dyn McpChannel> = match &spec.server {
            McpServerSpec::Command { words, .. } => Box::new(McpProcess::start(words, root)?),
            McpServerSpec::Url { url, headers, .. } => {
                Box::new(McpOverHttp::new(url, headers, timeout, mask)?)
            }
        };
        let tool = spec.tool.clone();
        let arguments = spec.arguments.clone();
        let mut subject = Self {
            channel,
            tool,
            arguments,
            timeout: timeout.max(START_TIMEOUT),
            id: 0,
        };
        subject
            .initialize()
            .map_err(|failure| subject.explained(failure))?;
        subject
            .find_tool()
            .map_err(|failure| subject.explained(failure))?;
        subject.timeout = timeout;
        Ok(subject)
    }

    fn initialize(&mut self) -> Result<(), SubjectFailure> {
        let client = json!({"name": "fsmsim", "version": env!("CARGO_PKG_VERSION")});
        let offer =
            json!({"protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": client});
        let result = self.request("initialize", &offer)?;
        let version = result
            .get("protocolVersion")
            .and_then(Json::as_str)
            .unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let reason = format!("unsupported MCP version `{}`", shown(version));
            return Err(SubjectFailure::new(reason));
        }
        self.channel.agree(version);
        self.channel
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    /// Returns an error with similar or existing names if the server lacks the tool.
    fn find_tool(&mut self) -> Result<(), SubjectFailure> {
        let mut names: Vec<String> = Vec::new();
        let mut params = json!({});
        for _ in 0..MAX_TOOL_PAGES {
            let page = self.request("tools/list", &params)?;
            let tools = page
                .get("tools")
                .and_then(Json::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default();
            names.extend(
                tools
                    .iter()
                    .filter_map(|tool| tool.get("name")?.as_str())
                    .map(shown),
            );
            if names.iter().any(|name| **name == *self.tool) {
                return Ok(());
            }
            match page.get("nextCursor").and_then(Json::as_str) {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => break,
            }
        }
        let near = nearest(&self.tool, names.iter().map(|name| &**name));
        let hint = match near {
            Some(near) => format!("a similar tool exists: `{near}`"),
            None if names.is_empty() => "the server has no tools".to_owned(),
            None => {
                let some: Vec<String> = names
                    .iter()
                    .take(MAX_NAMED)
                    .map(|name| format!("`{name}`"))
                    .collect();
                format!("the server has the tools {}", some.join(", "))
            }
        };
        Err(SubjectFailure::new(format!(
            "unknown tool `{}`: {hint}",
            self.tool
        )))
    }

    /// Sends a request and returns its result. Meanwhile, answers requests of the server and ignores its notifications.
    fn request(&mut self, method: &str, params: &Json) -> Result<Json, SubjectFailure> {
        self.id += 1;
        let deadline = Instant::now() + self.timeout;
        self.channel
            .send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))?;
        loop {
            let message = self.receive(deadline)?;
            if !message.is_object() {
                return Err(no_message(&message));
            }
            let id = message.get("id").filter(|id| !id.is_null());
            match (message.get("method").and_then(Json::as_str), id) {
                (Some("ping"), Some(id)) => {
                    self.channel
                        .send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}))?;
                }
                (Some(_), Some(id)) => {
                    let error = json!({"code": NO_METHOD, "message": "this client supports only tool calls"});
                    self.channel
                        .send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
                }
                (None, Some(id)) if id.as_u64() == Some(self.id) => {
                    return result_of(method, &message);
                }
                // A server that cannot parse a request does not know its ID.
                (None, None) if message.get("error").is_some() => {
                    return result_of(method, &message);
                }
                // Ignore repeated answers.
                (None, Some(id)) if id.as_u64().is_some_and(|id| id < self.id) => {}
                (None, Some(id)) => {
                    let id = shown(&id.to_string());
                    let asked = self.id;
                    return Err(SubjectFailure::new(format!(
                        "expected an answer with the ID {asked}, found {id}"
                    )));
                }
                (None, None) => return Err(no_message(&message)),
                (Some(_), None) => {}
            }
        }
    }

    fn receive(&mut self, deadline: Instant) -> Result<Json, SubjectFailure> {
        if Instant::now() >= deadline {
            return Err(self.timed_out());
        }
        self.channel.receive(deadline).map_err(|failure| {
            // Report a timeout, unless the channel was closed.
            if Instant::now() >= deadline && !self.channel.is_closed() {
                self.timed_out()
            } else {
                failure
            }
        })
    }

    fn timed_out(&self) -> SubjectFailure {
        SubjectFailure::new(format!("no answer within {} s", self.timeout.as_secs_f64()))
    }

    /// Adds other output of the server to a failure.
    fn explained(&self, failure: SubjectFailure) -> SubjectFailure {
        match self.channel.complaint() {
            Some(said) => SubjectFailure::new(format!("{}; it wrote: {said}", failure.reason)),
            None => failure,
        }
    }
}

impl SubjectWire for McpSubject {
    fn ask(&mut self, values: &TurnValues, _: &mut TextRedactions) -> Result<Json, SubjectFailure> {
        let params = json!({"name": &*self.tool, "arguments": self.arguments.fill(values)});
        self.request("tools/call", &params)
            .and_then(answer_of)
            .map_err(|failure| self.explained(failure))
    }
}

/// The failure for an invalid message.
fn no_message(sent: &Json) -> SubjectFailure {
    SubjectFailure::new(format!(
        "expected an MCP message, found {}",
        shown(&sent.to_string())
    ))
}

/// The result in an answer message.
fn result_of(method: &str, message: &Json) -> Result<Json, SubjectFailure> {
    if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
        let said = error.get("message").unwrap_or(error);
        let said = said
            .as_str()
            .map_or_else(|| shown(&said.to_string()), shown);
        return Err(SubjectFailure::new(format!("`{method}` failed: {said}")));
    }
    match message.get("result") {
        Some(result @ Json::Object(_)) => Ok(result.clone()),
        _ => Err(SubjectFailure::new(format!(
            "the answer to `{method}` has no result"
        ))),
    }
}

/// The answer to a turn, from the result of a call. Adds the joined texts as `text`. If `structuredContent` is missing
/// and the text is JSON, adds the JSON there.
fn answer_of(mut result: Json) -> Result<Json, SubjectFailure> {
    let texts: Vec<&str> = result
        .get("content")
        .and_then(Json::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    // An error of the tool is a failure, not a reply to the user.
    if result.get("isError").and_then(Json::as_bool) == Some(true) {
        return Err(SubjectFailure::new(format!(
            "the tool failed: {}",
            shown(&text)
        )));
    }
    let parsed = result
        .get("structuredContent")
        .is_none_or(Json::is_null)
        .then(|| serde_json::from_str::<Json>(&text).ok())
        .flatten();
    if let Some(map) = result.as_object_mut() {
        if let Some(parsed) = parsed.filter(|parsed| parsed.is_object() || parsed.is_array()) {
            map.insert("structuredContent".to_owned(), parsed);
        }
        map.insert("text".to_owned(), text.into());
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_becomes_structured_content() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let answer = answer_of(json!({"content": [text("{\"state\": \"a\"}")]})).unwrap();
        assert_eq!(answer["structuredContent"]["state"], "a");
        let answer =
            answer_of(json!({"content": [text("one"), {"type": "image"}, text("two")]})).unwrap();
        assert_eq!(
            (&answer["text"], answer.get("structuredContent")),
            (&json!("one\ntwo"), None)
        );
        let answer =
            answer_of(json!({"content": [text("[1]")], "structuredContent": {"result": "x"}}))
                .unwrap();
        assert_eq!(answer["structuredContent"], json!({"result": "x"}));
    }

    #[test]
    fn failed_tool_call_has_no_answer() {
        let failed = answer_of(
            json!({"isError": true, "content": [{"type": "text", "text": "no\u{1b}[2J database"}]}),
        );
        assert_eq!(
            failed.unwrap_err().reason,
            "the tool failed: no\u{fffd}[2J database"
        );
    }
}
