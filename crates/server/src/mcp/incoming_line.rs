//! Parses a line from a client.

use std::fmt::{self, Formatter};

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;
use tokio_util::bytes::BytesMut;

use super::unsupported_request::KNOWN_METHODS;
use crate::limits::MAX_BODY;

/// A line without its line break.
pub(super) enum BoundedLine {
    /// A complete line.
    Whole(BytesMut),
    /// The start of a line above the size limit.
    TooLong(BytesMut),
}

/// The content of a line.
pub(super) enum IncomingLine {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An invalid message: the error for the client, and the request ID if it can be read.
    Wrong(ErrorData, Option<RequestId>),
    /// A line that gets no response.
    Nothing,
}

impl IncomingLine {
    pub(super) fn of(line: &BoundedLine) -> Self {
        let line = match line {
            BoundedLine::Whole(line) => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            BoundedLine::TooLong(head) => {
                let error = format!("the message is too large: limit {MAX_BODY} bytes");
                return Self::Wrong(ErrorData::invalid_request(error, None), id_in(head));
            }
        };
        if line.trim_ascii().is_empty() {
            return Self::Nothing;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            return Self::Message(Box::new(message));
        }
        match serde_json::from_slice(line) {
            Ok(value) => Self::no_message(&value),
            Err(error) => Self::Wrong(
                ErrorData::parse_error(format!("the line is not JSON: {error}"), None),
                None,
            ),
        }
    }

    fn no_message(value: &Json) -> Self {
        let id = value.get("id");
        let method = value.get("method").and_then(Json::as_str);
        // Notifications and responses get no response.
        let answers = value.get("result").is_some() || value.get("error").is_some();
        if id.is_none() && method.is_some() || method.is_none() && answers {
            return Self::Nothing;
        }
        let id: Option<RequestId> = id.and_then(|id| serde_json::from_value(id.clone()).ok());
        let wrong = match (value, &id, method) {
            (Json::Array(_), ..) => "expected one message per line, found a list".to_owned(),
            (Json::Object(_), ..) if value.get("jsonrpc").and_then(Json::as_str) != Some("2.0") => {
                "missing `\"jsonrpc\": \"2.0\"` in the message".to_owned()
            }
            (Json::Object(_), None, _) => {
                "expected a string or an integer for the `id` of a request".to_owned()
            }
            (Json::Object(_), _, None) => "missing `method` in the request".to_owned(),
            (Json::Object(_), Some(_), Some(method)) if KNOWN_METHODS.contains(&method) => {
                let error = format!("expected an object for the `params` of {method}");
                return Self::Wrong(ErrorData::invalid_params(error, None), id);
            }
            _ => "expected a JSON-RPC message".to_owned(),
        };
        Self::Wrong(ErrorData::invalid_request(wrong, None), id)
    }
}

/// The top-level `id` in the start of a message.
fn id_in(head: &[u8]) -> Option<RequestId> {
    // A number at the end might be incomplete.
    let end = head.iter().rposition(|byte| !byte.is_ascii_digit())?;
    let mut found = None;
    // Parsing always ends with an error, because the text is incomplete.
    let _ = serde_json::Deserializer::from_slice(head.get(..=end)?)
        .deserialize_map(IdVisitor(&mut found));
    found
}

/// Finds the `id` among the keys of a map.
struct IdVisitor<'a>(&'a mut Option<RequestId>);

impl<'de> Visitor<'de> for IdVisitor<'_> {
    type Value = ();

    fn expecting(&self, to: &mut Formatter<'_>) -> fmt::Result {
        to.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" {
                *self.0 = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(line: &str) -> String {
        match IncomingLine::of(&BoundedLine::Whole(line.into())) {
            IncomingLine::Message(_) => "message".to_owned(),
            IncomingLine::Nothing => "nothing".to_owned(),
            IncomingLine::Wrong(error, id) => {
                let id = id.map(|id| format!(" of {id}")).unwrap_or_default();
                format!("{}{id}: {}", error.code.0, error.message)
            }
        }
    }

    #[test]
    fn a_line_is_a_message_or_an_error() {
        assert_eq!(
            summary(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#),
            "message"
        );
        assert_eq!(
            summary("\u{feff}{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\r"),
            "message"
        );
        for line in [
            "",
            " \r",
            r#"{"jsonrpc": "2.0", "method": "x/y", "params": 1}"#,
            r#"{"id": 1, "result": 1}"#,
        ] {
            assert_eq!(summary(line), "nothing", "{line}");
        }
        assert!(summary("garbage").starts_with("-32700: the line is not JSON"));
        for (line, expected) in [
            (
                r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": [1]}"#,
                "-32602 of 7: expected an object for the `params` of tools/list",
            ),
            (
                r#"{"jsonrpc": "1.0", "id": "a", "method": "ping"}"#,
                "-32600 of a: missing `\"jsonrpc\"",
            ),
            (
                r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#,
                "-32600: expected a string or an integer for the `id`",
            ),
            (
                r#"{"jsonrpc": "2.0", "id": 3}"#,
                "-32600 of 3: missing `method`",
            ),
            ("[]", "-32600: expected one message per line"),
            ("{}", "-32600: missing `\"jsonrpc\""),
            ("\"x\"", "-32600: expected a JSON-RPC message"),
        ] {
            assert!(
                summary(line).starts_with(expected),
                "{line}: {}",
                summary(line)
            );
        }
    }

    #[test]
    fn id_of_a_too_long_line_is_found_only_at_top_level() {
        let id = |head: &str| id_in(head.as_bytes()).map(|id| id.to_string());
        assert_eq!(
            id(r#"{"jsonrpc":"2.0","id":5,"method":"x"#),
            Some("5".to_owned())
        );
        assert_eq!(
            id(r#"{"id" : "a\"b", "params": {"#),
            Some("a\"b".to_owned())
        );
        for head in [
            r#"{"params":{"id":1,"x":"#,
            r#"{"method":"id","x":"#,
            r#"{"id":12"#,
            r#"{"id":{},"#,
            r#"{"id"#,
            "",
        ] {
            assert_eq!(id(head), None, "{head}");
        }
    }
}
