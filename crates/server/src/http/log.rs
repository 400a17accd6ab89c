//! The log of a server on standard error.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_LOGGED_LETTERS;
use fsmsim_syntax::terminal::{printable, shortened, tell};

/// The format of the log; text by default.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// How a server says what it says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A line of text.
    #[default]
    Text,
    /// An object a line, with the time and who called.
    Json,
}

impl LogFormat {
    /// Sets the format of the log. Only the first call has an effect.
    pub fn apply(self) {
        let _ = FORMAT.set(self);
    }

    /// Whether the log is machine-readable.
    pub fn is_for_programs() -> bool {
        FORMAT.get() == Some(&Self::Json)
    }
}

/// One line of the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLine<'l> {
    /// The address of the client, if a client caused the line.
    pub peer: Option<SocketAddr>,
    /// The user of the call.
    pub user: Option<&'l str>,
    /// The subject of the line: `session`, and its name.
    pub about: Option<(&'static str, &'l str)>,
    /// The message.
    pub told: &'l str,
}

impl LogLine<'_> {
    /// Writes the line. Names and text in it can be untrusted, so control characters are escaped for the terminal.
    pub fn log(&self) {
        let line = match FORMAT.get().copied().unwrap_or_default() {
            LogFormat::Text => self.text(),
            LogFormat::Json => self.object(SystemTime::now()).to_string(),
        };
        tell(&format!("{line}\n"));
    }

    fn text(&self) -> String {
        match self.about {
            Some((what, name)) => printable(&format!("{what} {name}: {}", self.told)),
            None => printable(self.told),
        }
    }

    fn object(&self, now: SystemTime) -> Json {
        let mut object = Map::new();
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        let time = DateTime::from_timestamp(seconds, since.subsec_nanos()).unwrap_or_default();
        object.insert(
            "time".to_owned(),
            json!(time.to_rfc3339_opts(SecondsFormat::Millis, true)),
        );
        if let Some(peer) = self.peer {
            object.insert("peer".to_owned(), json!(peer.to_string()));
        }
        if let Some(user) = self.user {
            object.insert("user".to_owned(), json!(printable(user)));
        }
        if let Some((what, name)) = self.about {
            object.insert(what.to_owned(), json!(printable(name)));
        }
        object.insert("told".to_owned(), json!(printable(self.told)));
        Json::Object(object)
    }
}

/// Shortens untrusted text to fit into one line.
pub fn cut(text: &str) -> String {
    shortened(text, MAX_LOGGED_LETTERS)
}

/// Logs one line without a client.
pub fn log(line: &str) {
    LogLine {
        told: line,
        ..LogLine::default()
    }
    .log();
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_json_line_has_the_time_and_the_user() {
        let peer = Some("127.0.0.1:9".parse().unwrap());
        let line = LogLine {
            peer,
            user: Some("a\u{1b}nn"),
            about: Some(("session", "s1")),
            told: "init -> brew\n",
        };
        let object = line
            .object(UNIX_EPOCH + Duration::from_millis(1_500))
            .to_string();
        let whole = r#"{"time":"1970-01-01T00:00:01.500Z","peer":"127.0.0.1:9","user":"a�nn","session":"s1","told":"init -> brew "}"#;
        assert_eq!(object, whole);
        assert_eq!(line.text(), "session s1: init -> brew ");
    }
}
