//! Error messages of servers.

use serde_json::Value as Json;

use crate::limits::MAX_SERVER_WORDS;
use fsmsim_syntax::terminal::{Joined, is_printable, shortened};

/// The error message of a server, in any known format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    pub message: String,
    /// The error code.
    code: String,
    kind: String,
    /// The part of the request with the error: a dotted key.
    param: String,
}

/// Words in error messages. Each line contains the name of a list and a word or phrase. `filtered`: error codes of
/// content filters. `no_model`: error codes for an unknown model. `status`: named kinds of errors with their status
/// codes. `missing`: phrases of servers for something that does not exist. `way`: words about structured output modes.
const WORDS: &str = include_str!("server_errors.txt");

/// The words of a list.
fn words(list: &str) -> impl Iterator<Item = &'static str> {
    WORDS
        .lines()
        .filter_map(move |line| line.strip_prefix(list)?.strip_prefix(' '))
}

impl ServerError {
    /// Parses the body of an error.
    pub(super) fn read(body: &str) -> Self {
        match serde_json::from_str::<Json>(body) {
            Ok(json) => Self::of(&json),
            Err(_) => Self::plain(body),
        }
    }

    /// A message in an unknown format.
    pub(super) fn plain(body: &str) -> Self {
        Self {
            message: body.trim().to_owned(),
            ..Self::default()
        }
    }

    /// The error in the body of an answer, if it contains one.
    pub(super) fn within(answer: &Json) -> Option<Self> {
        let is_error = match answer.get("error")? {
            Json::String(message) => !message.trim().is_empty(),
            Json::Object(error) => !error.is_empty(),
            _ => false,
        };
        is_error.then(|| Self::of(answer))
    }

    /// Parses the JSON of an error.
    fn of(json: &Json) -> Self {
        // One format is a list of errors. The first one is sufficient.
        let json = json.get(0).unwrap_or(json);
        let inner = match json.get("error") {
            Some(inner @ Json::Object(_)) => inner,
            Some(Json::String(message)) => {
                return Self {
                    message: message.clone(),
                    ..Self::default()
                };
            }
            _ => json,
        };
        let word = |key: &str| match inner.get(key) {
            Some(Json::String(text)) => text.clone(),
            Some(Json::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let mut error = Self {
            message: word("message"),
            code: word("code"),
            kind: word("type"),
            param: word("param"),
        };
        if error.kind.is_empty() {
            error.kind = word("status");
        }
        // This format starts its message with the location.
        if json.get("type").is_some_and(|kind| kind == "error")
            && let Some((place, _)) = error
                .message
                .split_once(": ")
                .filter(|(place, _)| is_path(place))
        {
            place.clone_into(&mut error.param);
        }
        // The message from the server behind a proxy is more precise.
        if let Some(raw) = inner.pointer("/metadata/raw").and_then(Json::as_str) {
            error.message = format!("{}: {raw}", error.message);
        }
        match inner.get("detail") {
            Some(Json::String(detail)) if error.message.is_empty() => {
                error.message.clone_from(detail);
            }
            Some(Json::Array(details)) => error.detail(details),
            _ => {}
        }
        error
    }

    /// Reads the first entry in a list of errors with locations.
    fn detail(&mut self, details: &[Json]) {
        let Some(first) = details.first() else { return };
        let place = first
            .get("loc")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        self.param = place.filter(|part| *part != "body").joined(".");
        let message = first.get("msg").and_then(Json::as_str).unwrap_or_default();
        self.message = if self.param.is_empty() {
            message.to_owned()
        } else {
            format!("{}: {message}", self.param)
        };
    }

    /// The message for display. `clean` removes secrets. Truncated, and without control characters.
    pub(super) fn shown(&self, clean: impl Fn(&str) -> String) -> String {
        let words = if self.message.is_empty() {
            &self.code
        } else {
            &self.message
        };
        // Remove secrets before truncation: a truncated secret would not be recognized.
        let shown: String = clean(words)
            .split_whitespace()
            .joined(" ")
            .chars()
            .filter(|c| is_printable(*c))
            .collect();
        if shown.chars().count() > MAX_SERVER_WORDS {
            shortened(&shown, MAX_SERVER_WORDS - 1)
        } else {
            shown
        }
    }

    /// The status code in the message: as a number, or implied by the kind of error.
    pub(super) fn status(&self) -> Option<u16> {
        let number = self
            .code
            .parse()
            .ok()
            .filter(|status| (400..600).contains(status));
        let named = |line: &str| {
            let (status, name) = line.split_once(' ')?;
            let is_named = self.kind == name || self.code == name;
            status.parse().ok().filter(|_| is_named)
        };
        number.or_else(|| words("status").find_map(named))
    }

    /// Whether the message is an HTML page, which proxy servers send.
    pub(super) fn is_page(&self) -> bool {
        self.message.starts_with('<')
    }

    /// Whether the message contains a URL or a path.
    pub(super) fn names_path(&self) -> bool {
        self.message.split_whitespace().any(is_address)
    }

    /// Whether a filter blocked the request.
    pub(super) fn is_filtered(&self) -> bool {
        words("filtered").any(|code| self.code.eq_ignore_ascii_case(code))
    }

    /// Whether the account has no credit left.
    pub(super) fn is_out_of_funds(&self) -> bool {
        [&self.code, &self.kind]
            .into_iter()
            .any(|code| code == "insufficient_quota")
    }

    /// Whether the requested model does not exist.
    pub(super) fn is_about_the_model(&self, status: u16) -> bool {
        if words("no_model").any(|code| self.code.eq_ignore_ascii_case(code)) {
            return true;
        }
        let message = self.message.to_lowercase();
        let is_missing =
            words("missing").any(|words| message.contains(words)) || self.kind == "not_found_error";
        // A URL path may contain the word `model` without being about the model.
        let names_model = || {
            message
                .split_whitespace()
                .any(|word| word.contains("model") && !is_address(word))
        };
        let is_named = self.param == "model" || names_model();
        matches!(status, 400 | 404 | 422)
            && is_missing
            && is_named
            && !self.is_about_the_way(&message)
    }

    /// Whether the error is about the structured output mode.
    pub(super) fn is_about_a_way(&self) -> bool {
        self.is_about_the_way(&self.message.to_lowercase())
    }

    fn is_about_the_way(&self, message: &str) -> bool {
        let param = self.param.split(['.', '[']).next().unwrap_or_default();
        if !param.is_empty() {
            return words("way").any(|word| word == param);
        }
        words("way").any(|words| has_word(message, words))
    }

    /// The first of these keys that the error is about. Only `param` is reliable: messages can contain keys as ordinary
    /// words.
    pub(super) fn names<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
        let is_param = |key: &str| {
            self.param == key
                || self
                    .param
                    .strip_prefix(key)
                    .is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let mut keys = keys;
        if self.param.is_empty() {
            return keys.find(|key| is_named(&self.message, key));
        }
        keys.find(|key| is_param(key))
    }

    /// Whether the error names a part of the request.
    pub(super) fn has_param(&self) -> bool {
        !self.param.is_empty()
    }

    #[cfg(test)]
    fn is_silent(&self) -> bool {
        self.message.is_empty() && self.code.is_empty() && self.param.is_empty()
    }
}

/// Whether a word is a URL or a path.
fn is_address(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'', '`', '(', '[']);
    word.starts_with('/') || word.contains("://")
}

/// Whether the string is a dotted key.
fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte))
}

/// Whether a message names a key. A key that is a common word, such as `user`, must be quoted or at the start or end.
fn is_named(message: &str, key: &str) -> bool {
    let has_quoted = |text: &str| message.contains(text);
    (key.contains('_') && has_word(message, key))
        || ['\'', '"', '`']
            .into_iter()
            .any(|sign| has_quoted(&format!("{sign}{key}{sign}")))
        || message
            .strip_prefix(key)
            .is_some_and(|rest| rest.starts_with([':', ' ']))
        || message
            .trim_end_matches('.')
            .strip_suffix(key)
            .is_some_and(|before| before.ends_with(": "))
}

/// Whether a text contains a word that is not part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        let after = text
            .get(at + found.len()..)
            .unwrap_or_default()
            .chars()
            .next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str) -> String {
        ServerError::read(body).shown(str::to_owned)
    }

    #[test]
    fn all_error_formats_are_parsed() {
        for body in [
            r#"{"error": {"message": "No.", "type": "invalid_request_error", "param": null, "code": null}}"#,
            r#"[{"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}]"#,
            r#"{"object": "error", "message": "No.", "type": "BadRequestError", "param": null, "code": 400}"#,
            r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "No."}}"#,
            r#"{"error": "No."}"#,
            r#"{"detail": "No."}"#,
            r#"{"status": 400, "message": "No."}"#,
            "  No.\n",
        ] {
            assert_eq!(shown(body), "No.", "{body}");
        }
        let nested = r#"{"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]}"#;
        assert_eq!(shown(nested), "temperature: Extra inputs are not permitted");
        assert_eq!(
            ServerError::read(nested).names(["top_p", "temperature"].into_iter()),
            Some("temperature")
        );
        let proxied = r#"{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "No."}}}"#;
        assert_eq!(shown(proxied), "Provider returned error: No.");
        for silent in ["", "{}", "[]", "null", "7"] {
            let error = ServerError::read(silent);
            assert!(error.is_silent() || error.message == silent, "{silent}");
        }
    }

    #[test]
    fn answer_can_contain_an_error() {
        let within = |body: Json| ServerError::within(&body).map(|error| error.status());
        assert_eq!(
            within(serde_json::json!({"error": {"message": "No.", "code": 502}})),
            Some(Some(502))
        );
        assert_eq!(
            within(serde_json::json!({"error": {"message": "No.", "code": "429"}})),
            Some(Some(429))
        );
        assert_eq!(
            within(serde_json::json!({"type": "error", "error": {"type": "overloaded_error"}})),
            Some(Some(529))
        );
        assert_eq!(within(serde_json::json!({"error": "No."})), Some(None));
        for none in [
            serde_json::json!({"error": null}),
            serde_json::json!({"error": ""}),
            serde_json::json!([]),
        ] {
            assert_eq!(within(none), None);
        }
    }

    #[test]
    fn shown_message_is_short_and_safe_for_terminals() {
        let long = shown(&format!("\u{1b}[31m{}\n\tend", "я".repeat(400)));
        assert_eq!(long.chars().count(), MAX_SERVER_WORDS);
        assert!(long.ends_with('…') && !long.contains('\u{1b}'), "{long}");
        assert_eq!(shown("a\u{1b}b\r\n c\u{202e}"), "ab c");
        let secret = ServerError::read("the key sk-planted is wrong")
            .shown(|text| text.replace("sk-planted", "[secret]"));
        assert_eq!(secret, "the key [secret] is wrong");
    }

    #[test]
    fn subject_of_an_error_is_detected() {
        let error = |message: &str, param: &str, code: &str| {
            let body =
                serde_json::json!({"error": {"message": message, "param": param, "code": code}});
            ServerError::read(&body.to_string())
        };
        for (message, param, code) in [
            (
                "The model `x` does not exist or you do not have access to it.",
                "",
                "model_not_found",
            ),
            ("model 'x' not found", "", ""),
            ("No such model", "", ""),
            (
                "The API deployment for this resource does not exist.",
                "",
                "DeploymentNotFound",
            ),
            ("x is not a valid model ID", "", ""),
            ("Model Not Exist", "", "invalid_request_error"),
            ("The provided model identifier is invalid.", "", ""),
            ("model 'qwen/qwen3' not found", "", ""),
        ] {
            assert!(
                error(message, param, code).is_about_the_model(404),
                "{message}"
            );
        }
        for path in [
            "path /v1/models/chat/completions not found",
            "Not Found: 'https://a/models/chat/completions'",
        ] {
            let error = error(path, "", "");
            assert!(
                !error.is_about_the_model(404) && error.names_path(),
                "{path}"
            );
        }
        for (message, param) in [
            (
                "Invalid schema for response_format 'classify': not found",
                "response_format",
            ),
            ("This model does not support structured outputs.", ""),
            (
                "tool_choice: forced tools are not supported by this model",
                "",
            ),
            ("No endpoints found that support tool use", ""),
        ] {
            let error = error(message, param, "");
            assert!(
                error.is_about_a_way() && !error.is_about_the_model(404),
                "{message}"
            );
        }
        let other = error(
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "temperature",
            "",
        );
        assert!(!other.is_about_a_way() && !other.is_about_the_model(400));
        assert_eq!(
            other.names(["temp", "temperature"].into_iter()),
            Some("temperature")
        );
        assert_eq!(
            error("`top_p_x` is odd", "", "").names(["top_p"].into_iter()),
            None
        );
        assert_eq!(
            error("No user is here", "", "").names(["user"].into_iter()),
            None
        );
        assert_eq!(
            error("Unknown key: user.", "", "").names(["user"].into_iter()),
            Some("user")
        );
        let anthropic =
            r#"{"type": "error", "error": {"type": "x", "message": "tools.0.input_schema: odd"}}"#;
        assert!(
            ServerError::read(anthropic).is_about_a_way()
                && ServerError::read(anthropic).has_param()
        );
    }
}
