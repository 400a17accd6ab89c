//! Errors of studio requests.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use fsmsim_syntax::diagnostic::Diagnostic;

/// The content type of answers.
pub(super) const JSON: &str = "application/json";

/// The error of a request, with a help text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    /// The error in one sentence.
    pub error: String,
    help: String,
    /// Whether a file with this name exists; the page offers to replace it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exists: bool,
}

impl Refusal {
    /// An error with an HTTP status.
    pub(super) fn new(
        status: StatusCode,
        error: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            status,
            error: error.into(),
            help: help.into(),
            exists: false,
        }
    }

    /// An error for an invalid request.
    pub(super) fn bad(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, help)
    }

    /// An error for a valid request whose operation is impossible.
    pub(super) fn cannot(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error, help)
    }

    /// An error for an operation that would write project files in CI.
    pub(super) fn in_ci(help: &str) -> Self {
        Self::cannot("cannot change files: the variable `CI` is set", help)
    }

    /// An error for too many requests.
    pub(super) fn busy(error: impl Into<String>) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            error,
            "try again in a moment",
        )
    }
}

impl From<String> for Refusal {
    /// An error for a valid request whose operation is impossible, without a help text.
    fn from(why: String) -> Self {
        Self::cannot(for_page(&why), "")
    }
}

impl From<&Diagnostic> for Refusal {
    fn from(finding: &Diagnostic) -> Self {
        Self::cannot(
            for_page(&finding.title),
            for_page(finding.help.as_deref().unwrap_or_default()),
        )
    }
}

/// Removes references to commands of `fsmsim run` and to options, because the page has neither.
fn for_page(text: &str) -> String {
    let sentences = text.split_inclusive(". ").filter_map(|sentence| {
        // The colon after a quoted name does not count, as in "cannot write `a`: no space".
        let mut named = sentence.match_indices('`').filter(|(at, sign)| {
            let rest = sentence.get(at + sign.len()..).unwrap_or_default();
            rest.starts_with(':') && !rest.starts_with(": ") || rest.starts_with("--")
        });
        let Some(before) = named.next().and_then(|(at, _)| sentence.get(..at)) else {
            return Some(sentence.to_owned());
        };
        let part = ["; ", ", or "].iter().filter_map(|sign| before.rfind(sign));
        let kept = before.get(..part.max()?)?;
        Some(format!("{kept}. "))
    });
    sentences.collect::<String>().trim_end().to_owned()
}

impl From<Box<Diagnostic>> for Refusal {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self::from(&*finding)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self).unwrap_or_default();
        (self.status, [(header::CONTENT_TYPE, JSON)], text).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::for_page;

    #[test]
    fn commands_and_options_are_removed_for_the_page() {
        for (text, expected) in [
            ("no state `x`. `:states` lists them", "no state `x`."),
            (
                "nothing reads text: write `text / intent`, or begin with `--llm examples`, and its examples read it. A similar intent exists: `price`",
                "nothing reads text: write `text / intent`. A similar intent exists: `price`",
            ),
            ("write `x`; `:reply TEXT` stays.", "write `x`."),
            ("give `--twin` a file", ""),
            ("cannot write `a`: no space", "cannot write `a`: no space"),
            ("no option, no command", "no option, no command"),
        ] {
            assert_eq!(for_page(text), expected);
        }
    }
}
