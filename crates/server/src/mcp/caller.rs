//! Who calls.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::model::Extensions;

use crate::http::LogLine;

/// Who calls, as far as the connection tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Caller {
    /// The address of the other end; nothing over standard input and output.
    pub(super) peer: Option<SocketAddr>,
    /// In whose name the call is made, where a header says so.
    pub(super) user: Option<Arc<str>>,
}

impl Caller {
    /// Who makes a request.
    pub(super) fn of(extensions: &Extensions) -> Self {
        extensions
            .get::<Parts>()
            .and_then(|parts| parts.extensions.get::<Self>())
            .cloned()
            .unwrap_or_default()
    }

    /// Says what happened in a call.
    pub(super) fn log(&self, told: &str) {
        self.say(None, told);
    }

    /// Says what happened in a dialogue by a call.
    pub(super) fn log_of(&self, session: &str, told: &str) {
        self.say(Some(("session", session)), told);
    }

    fn say(&self, about: Option<(&'static str, &str)>, told: &str) {
        LogLine {
            peer: self.peer,
            user: self.user.as_deref(),
            about,
            told,
        }
        .log();
    }
}
