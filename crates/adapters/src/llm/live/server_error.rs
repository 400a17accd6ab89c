//! What a server says about a request that it does not answer.

use serde_json::Value as Json;

use crate::limits::MAX_SERVER_WORDS;
use fsmsim_syntax::terminal::{Joined, is_printable};

/// What a server says about a request that it does not answer, whichever shape it says it in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    /// Its words.
    pub(super) message: String,
    /// The name of the error.
    code: String,
    kind: String,
    /// What of the request it is about: a key, or a path of them.
    param: String,
}

/// Codes that say that a filter stood in the way.
const FILTERED: [&str; 3] = [
    "content_filter",
    "content_policy_violation",
    "responsible_ai_policy_violation",
];
/// Codes that say that there is no such model.
const NO_MODEL: [&str; 5] = [
    "model_not_found",
    "invalid_model",
    "deploymentnotfound",
    "unknown_model",
    "no_such_model",
];
/// The kinds of errors that servers tell by name, with the status that goes with each.
const STATUSES: [(&str, u16); 10] = [
    ("invalid_request_error", 400),
    ("authentication_error", 401),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("request_too_large", 413),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("insufficient_quota", 429),
    ("api_error", 500),
    ("overloaded_error", 529),
];
/// How servers say that there is none.
const MISSING: [&str; 9] = [
    "not found",
    "not exist",
    "doesn't exist",
    "identifier is invalid",
    "no such model",
    "unknown model",
    "is not a valid model",
    "not_found",
    "invalid model",
];
/// Words about the ways of asking for a shape.
const WAYS: [&str; 18] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "structured output",
    "structured outputs",
    "structured_output",
    "output_config",
    "output_format",
    "output format",
    "schema",
    "strict",
    "grammar",
    "tool_choice",
    "tool",
    "tools",
    "function_call",
    "functions",
];

impl ServerError {
    /// What a body says.
    pub(super) fn read(body: &str) -> Self {
        match serde_json::from_str::<Json>(body) {
            Ok(json) => Self::of(&json),
            Err(_) => Self::plain(body),
        }
    }

    /// Words that have no shape of an error.
    pub(super) fn plain(body: &str) -> Self {
        Self {
            message: body.trim().to_owned(),
            ..Self::default()
        }
    }

    /// The error that an answer tells in the place of what was asked for; nothing where it tells none.
    pub(super) fn within(answer: &Json) -> Option<Self> {
        let is_error = match answer.get("error")? {
            Json::String(message) => !message.trim().is_empty(),
            Json::Object(error) => !error.is_empty(),
            _ => false,
        };
        is_error.then(|| Self::of(answer))
    }

    /// What JSON says.
    fn of(json: &Json) -> Self {
        // One shape is a list of errors; the first tells enough.
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
        // This one names the place in front of its words.
        if json.get("type").is_some_and(|kind| kind == "error")
            && let Some((place, _)) = error
                .message
                .split_once(": ")
                .filter(|(place, _)| is_path(place))
        {
            place.clone_into(&mut error.param);
        }
        // What a server behind the server said says more.
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

    /// The first of a list of what is wrong with a request, each with its place.
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

    /// Its words for people, secrets taken out by `clean`: at most so many, and nothing that a terminal would obey.
    pub(super) fn shown(&self, clean: impl Fn(&str) -> String) -> String {
        let words = if self.message.is_empty() {
            &self.code
        } else {
            &self.message
        };
        // Cut only once secrets are taken out: half of one is none that is known.
        let words = clean(words);
        let words = words.split_whitespace().joined(" ");
        let mut shown: String = words
            .chars()
            .filter(|letter| is_printable(*letter))
            .take(MAX_SERVER_WORDS + 1)
            .collect();
        if let Some((at, _)) = shown
            .char_indices()
            .nth(MAX_SERVER_WORDS - 1)
            .filter(|_| shown.chars().count() > MAX_SERVER_WORDS)
        {
            shown.truncate(at);
            shown.push('…');
        }
        shown
    }

    /// The status that it would have as a response of its own, where it says so: as a number, or by the kind of error.
    pub(super) fn status(&self) -> Option<u16> {
        let number = self
            .code
            .parse()
            .ok()
            .filter(|status| (400..600).contains(status));
        let named = |(name, _): &&(&str, u16)| self.kind == *name || self.code == *name;
        number.or_else(|| STATUSES.iter().find(named).map(|(_, status)| *status))
    }

    /// Whether it is a page for people, as something in front of a server sends it.
    pub(super) fn is_page(&self) -> bool {
        self.message.starts_with('<')
    }

    /// Whether it names the path of an address.
    pub(super) fn names_path(&self) -> bool {
        self.message.split_whitespace().any(is_address)
    }

    /// Whether a filter did not let the request pass.
    pub(super) fn is_filtered(&self) -> bool {
        FILTERED
            .iter()
            .any(|code| self.code.eq_ignore_ascii_case(code))
    }

    /// Whether more of the same cannot be had before somebody pays.
    pub(super) fn is_out_of_funds(&self) -> bool {
        [&self.code, &self.kind]
            .into_iter()
            .any(|code| code == "insufficient_quota")
    }

    /// Whether there is no model of the name that was asked for.
    pub(super) fn is_about_the_model(&self, status: u16) -> bool {
        if NO_MODEL
            .iter()
            .any(|code| self.code.eq_ignore_ascii_case(code))
        {
            return true;
        }
        let message = self.message.to_lowercase();
        let is_missing =
            MISSING.iter().any(|words| message.contains(words)) || self.kind == "not_found_error";
        // The path of an address may have the word in it, and says nothing of a model.
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

    /// Whether it is about the way in which a shape was asked for.
    pub(super) fn is_about_a_way(&self) -> bool {
        self.is_about_the_way(&self.message.to_lowercase())
    }

    fn is_about_the_way(&self, message: &str) -> bool {
        let param = self.param.split(['.', '[']).next().unwrap_or_default();
        if !param.is_empty() {
            return WAYS.contains(&param);
        }
        WAYS.iter().any(|words| has_word(message, words))
    }

    /// The first of these keys of the request that it is about. Messages name keys among other words; `param` alone is sure.
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

    /// Whether it says what of the request it is about.
    pub(super) fn has_param(&self) -> bool {
        !self.param.is_empty()
    }

    /// Whether it says nothing.
    #[cfg(test)]
    fn is_silent(&self) -> bool {
        self.message.is_empty() && self.code.is_empty() && self.param.is_empty()
    }
}

/// Whether a word is an address, or the path of one.
fn is_address(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'', '`', '(', '[']);
    word.starts_with('/') || word.contains("://")
}

/// Whether this may be the path of a key.
fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte))
}

/// Whether a message names a key. What is a common word as well, like `user`, must stand out.
fn is_named(message: &str, key: &str) -> bool {
    let stands_out = |text: &str| message.contains(text);
    (key.contains('_') && has_word(message, key))
        || ['\'', '"', '`']
            .into_iter()
            .any(|sign| stands_out(&format!("{sign}{key}{sign}")))
        || message
            .strip_prefix(key)
            .is_some_and(|rest| rest.starts_with([':', ' ']))
        || message
            .trim_end_matches('.')
            .strip_suffix(key)
            .is_some_and(|before| before.ends_with(": "))
}

/// Whether a text has this word, with nothing of a name right before or behind it.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        let behind = text
            .get(at + found.len()..)
            .unwrap_or_default()
            .chars()
            .next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str) -> String {
        ServerError::read(body).shown(str::to_owned)
    }

    #[test]
    fn each_server_has_its_own_shape_of_an_error() {
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
        let behind = r#"{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "No."}}}"#;
        assert_eq!(shown(behind), "Provider returned error: No.");
        for silent in ["", "{}", "[]", "null", "7"] {
            let error = ServerError::read(silent);
            assert!(error.is_silent() || error.message == silent, "{silent}");
        }
    }

    #[test]
    fn an_answer_may_tell_an_error_in_the_place_of_what_was_asked_for() {
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
    fn what_is_shown_is_short_and_obeyed_by_no_terminal() {
        let long = shown(&format!("\u{1b}[31m{}\n\tend", "я".repeat(400)));
        assert_eq!(long.chars().count(), MAX_SERVER_WORDS);
        assert!(long.ends_with('…') && !long.contains('\u{1b}'), "{long}");
        assert_eq!(shown("a\u{1b}b\r\n c\u{202e}"), "ab c");
        let secret = ServerError::read("the key sk-planted is wrong")
            .shown(|text| text.replace("sk-planted", "[secret]"));
        assert_eq!(secret, "the key [secret] is wrong");
    }

    #[test]
    fn what_an_error_is_about_is_known() {
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
