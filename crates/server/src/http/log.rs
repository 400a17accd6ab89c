//! What a server says of itself, on standard error.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_LOGGED_LETTERS;
use fsmsim_syntax::terminal::{printable, shortened, tell};

/// How a server says it; text, unless somebody asks for something else.
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
    /// All that is said from now on is said so. The first word counts.
    pub fn apply(self) {
        let _ = FORMAT.set(self);
    }

    /// Whether what is said is for programs.
    pub fn is_for_programs() -> bool {
        FORMAT.get() == Some(&Self::Json)
    }
}

/// One line of what a server says.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLine<'l> {
    /// Who called, where somebody did.
    pub peer: Option<SocketAddr>,
    /// In whose name.
    pub user: Option<&'l str>,
    /// What it is about: `session`, and its name.
    pub about: Option<(&'static str, &'l str)>,
    /// What happened.
    pub told: &'l str,
}

impl LogLine<'_> {
    /// Says the line. Names and texts in it may come from anybody, so that nothing in it reaches the terminal as a control
    /// sequence.
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

/// What anybody may have written, cut to what can be told in a line.
pub fn cut(text: &str) -> String {
    shortened(text, MAX_LOGGED_LETTERS)
}

/// Says one line that nobody in particular called for.
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
    fn an_object_tells_when_and_who() {
        let peer = Some("127.0.0.1:9".parse().unwrap());
        let line = LogLine {
            peer,
            user: Some("a\u{1b}nn"),
            about: Some(("session", "s1")),
            told: "init -> brew\n",
        };
        let told = line
            .object(UNIX_EPOCH + Duration::from_millis(1_500))
            .to_string();
        let whole = r#"{"time":"1970-01-01T00:00:01.500Z","peer":"127.0.0.1:9","user":"a�nn","session":"s1","told":"init -> brew "}"#;
        assert_eq!(told, whole);
        assert_eq!(line.text(), "session s1: init -> brew ");
    }
}
