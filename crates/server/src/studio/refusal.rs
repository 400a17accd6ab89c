//! Why something is not done, for whoever asked for it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use fsmsim_syntax::diagnostic::Diagnostic;

/// What answers are.
pub(super) const JSON: &str = "application/json";

/// Why something is not done, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    /// In a sentence.
    pub(super) error: String,
    help: String,
}

impl Refusal {
    /// With a status of HTTP.
    pub(super) fn new(
        status: StatusCode,
        error: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            status,
            error: error.into(),
            help: help.into(),
        }
    }

    /// The request is not what the operation takes.
    pub(super) fn bad(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, help)
    }

    /// The request is understood, and cannot be done here.
    pub(super) fn cannot(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error, help)
    }

    /// Too much is asked for at once.
    pub(super) fn busy(error: impl Into<String>) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            error,
            "try again in a moment",
        )
    }
}

impl From<String> for Refusal {
    /// The request is understood, and cannot be done here; why says it all.
    fn from(why: String) -> Self {
        Self::cannot(why, "")
    }
}

impl From<&Diagnostic> for Refusal {
    fn from(finding: &Diagnostic) -> Self {
        Self::cannot(
            finding.title.clone(),
            finding.help.clone().unwrap_or_default(),
        )
    }
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
