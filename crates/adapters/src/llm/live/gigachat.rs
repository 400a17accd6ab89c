//! The chat completions API of `GigaChat`: like that of `OpenAI`, but with functions instead of tools, and with an
//! access token.

use std::time::{Duration, SystemTime};

use serde_json::{Value as Json, json};

use super::chat_request::{ChatRequest, TOOL, add};
use super::completion::malformed;
use crate::llm::answer_failure::AnswerFailure;
use crate::llm::provider::Structured;
use crate::llm::seeded_rng::SeededRng;

/// A temporary access token.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct GigaChatToken {
    pub text: String,
    /// The expiry time.
    pub expires: SystemTime,
}

/// A token is renewed this long before its expiry.
const RENEWAL_MARGIN: Duration = Duration::from_mins(1);

impl GigaChatToken {
    /// Whether the token is valid, and will not expire soon.
    pub(super) fn is_good(&self, now: SystemTime) -> bool {
        now.checked_add(RENEWAL_MARGIN)
            .is_some_and(|soon| soon < self.expires)
    }
}

/// The token itself is never shown.
impl std::fmt::Debug for GigaChatToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("GigaChatToken")
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// The body of a request. Answers have the format of `OpenAI`.
pub(super) fn body(request: &ChatRequest<'_>) -> Json {
    let mut body = json!({"model": request.model, "messages": request.messages_with_system()});
    match request.structured {
        Structured::Schema | Structured::Tool => {
            let name = request.name();
            let function =
                json!({"name": name, "description": TOOL, "parameters": request.prompt.schema});
            add(
                &mut body,
                [
                    ("functions", json!([function])),
                    ("function_call", json!({"name": name})),
                ],
            );
        }
        Structured::Prompt => {}
    }
    body
}

/// Extracts the token from the answer of the token server.
pub(super) fn token(answer: &Json, now: SystemTime) -> Result<GigaChatToken, AnswerFailure> {
    let text = answer
        .get("access_token")
        .and_then(Json::as_str)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| malformed("`access_token`"))?;
    let expires = answer
        .get("expires_at")
        .and_then(Json::as_u64)
        .map(Duration::from_millis)
        .and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since));
    Ok(GigaChatToken {
        text: text.to_owned(),
        expires: expires.unwrap_or(now + USUAL_LIFETIME),
    })
}

/// Default lifetime of a token.
const USUAL_LIFETIME: Duration = Duration::from_mins(30);

/// A request ID in the format of a random UUID.
pub(super) fn request_id(rng: &mut SeededRng) -> String {
    let mut digits = |count: u32| -> String {
        (0..count)
            .filter_map(|_| char::from_digit(rng.below(16), 16))
            .collect()
    };
    let first = digits(8);
    let second = digits(4);
    let third = digits(3);
    let fourth = digits(3);
    let last = digits(12);
    format!("{first}-{second}-4{third}-a{fourth}-{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_id_is_a_uuid_and_depends_on_the_seed() {
        let one = request_id(&mut SeededRng::of(0, "giga", 0));
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{one}");
        assert_eq!(one, request_id(&mut SeededRng::of(0, "giga", 0)));
        assert_ne!(one, request_id(&mut SeededRng::of(0, "giga", 1)));
    }

    #[test]
    fn token_without_an_expiry_has_the_default_lifetime() {
        let now = SystemTime::UNIX_EPOCH;
        let read = token(&json!({"access_token": "t"}), now).unwrap();
        assert_eq!(read.expires, now + USUAL_LIFETIME);
        let read = token(&json!({"access_token": "t", "expires_at": 5000}), now).unwrap();
        assert_eq!(read.expires, now + Duration::from_secs(5));
        assert!(token(&json!({"expires_at": 5000}), now).is_err());
    }
}
