//! The log of a server on standard error.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_LOGGED_LETTERS;
use fsmsim_syntax::terminal::{print_message, printable, shortened};

/// The log format; text by default.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One line of text per event.
    #[default]
    Text,
    /// One JSON object per line, with the time, the level and the caller.
    Json,
}

impl LogFormat {
    /// Sets the log format. Only the first call has an effect.
    pub fn apply(self) {
        let _ = FORMAT.set(self);
    }

    /// Whether the log is machine-readable.
    pub fn is_for_programs() -> bool {
        FORMAT.get() == Some(&Self::Json)
    }
}

/// A line of the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLine<'l> {
    /// The address of the client, if a client caused the line.
    pub peer: Option<SocketAddr>,
    /// The user of the call.
    pub user: Option<&'l str>,
    /// The subject of the line: `session`, and its name.
    pub about: Option<(&'static str, &'l str)>,
    /// The message. It can start with its level: `error: `, `warning: `.
    pub message: &'l str,
}

impl LogLine<'_> {
    /// Writes the line. Names and text in it can be untrusted, so control characters are escaped for the terminal.
    pub fn log(&self) {
        let line = match FORMAT.get().copied().unwrap_or_default() {
            LogFormat::Text => self.text(),
            LogFormat::Json => self.object(SystemTime::now()).to_string(),
        };
        print_message(&format!("{line}\n"));
    }

    fn text(&self) -> String {
        match self.about {
            Some((what, name)) => printable(&format!("{what} {name}: {}", self.message)),
            None => printable(self.message),
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
        let (level, message) = self.level();
        object.insert("level".to_owned(), json!(level));
        object.insert("message".to_owned(), json!(printable(message)));
        Json::Object(object)
    }

    /// The level, and the message without it.
    fn level(&self) -> (&'static str, &str) {
        let mut levels = [
            ("error: ", "error"),
            ("warning: ", "warn"),
            ("note: ", "info"),
        ]
        .into_iter();
        let level =
            levels.find_map(|(prefix, level)| Some((level, self.message.strip_prefix(prefix)?)));
        level.unwrap_or_else(|| {
            let is_refused = self.message.starts_with("refused: ");
            (if is_refused { "warn" } else { "info" }, self.message)
        })
    }
}

/// Shortens untrusted text to fit into one line.
pub fn cut(text: &str) -> String {
    shortened(text, MAX_LOGGED_LETTERS)
}

/// Logs one line without a client.
pub fn log(line: &str) {
    LogLine {
        message: line,
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
            message: "init -> brew\n",
        };
        let object = line
            .object(UNIX_EPOCH + Duration::from_millis(1_500))
            .to_string();
        let whole = r#"{"time":"1970-01-01T00:00:01.500Z","peer":"127.0.0.1:9","user":"a�nn","session":"s1","level":"info","message":"init -> brew "}"#;
        assert_eq!(object, whole);
        assert_eq!(line.text(), "session s1: init -> brew ");
        for (message, level, text) in [
            ("error: no space", "error", "no space"),
            ("warning: no token", "warn", "no token"),
            ("refused: POST /", "warn", "refused: POST /"),
        ] {
            let line = LogLine { message, ..line };
            assert_eq!(line.level(), (level, text));
        }
    }
}
