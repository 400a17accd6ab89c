//! The caller of a request.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::Extensions;

use crate::http::LogLine;

/// The caller, if the connection identifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Caller {
    /// The address of the client; `None` over standard input and output.
    pub peer: Option<SocketAddr>,
    /// The user, if a header names one.
    pub user: Option<Arc<str>>,
}

impl Caller {
    /// The caller of a request.
    pub(super) fn of(extensions: &Extensions) -> Self {
        extensions
            .get::<Parts>()
            .and_then(|parts| parts.extensions.get::<Self>())
            .cloned()
            .unwrap_or_default()
    }

    /// Logs an event of a call.
    pub(super) fn log(&self, message: &str) {
        self.say(None, message);
    }

    /// Logs an event of a call in a dialogue.
    pub(super) fn log_of(&self, session: &str, message: &str) {
        self.say(Some(("session", session)), message);
    }

    fn say(&self, about: Option<(&'static str, &str)>, message: &str) {
        LogLine {
            peer: self.peer,
            user: self.user.as_deref(),
            about,
            message,
        }
        .log();
    }
}
