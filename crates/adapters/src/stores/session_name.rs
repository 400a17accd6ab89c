//! Names of saved sessions.

use crate::limits::MAX_SESSION_NAME;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic};
use fsmsim_syntax::terminal::{beginning, printable};

/// The name of a saved session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionName(Box<str>);

impl SessionName {
    /// Parses a name: alphanumeric characters of any script, `-`, `_` and `.`. The first character is alphanumeric.
    pub fn parse(text: &str) -> Checked<Self> {
        let is_usual = |c: char| c.is_alphanumeric() || ['-', '_', '.'].contains(&c);
        if text.starts_with(char::is_alphanumeric)
            && text.chars().all(is_usual)
            && text.chars().count() <= MAX_SESSION_NAME
        {
            return Ok(Self(text.into()));
        }
        let shown = beginning(text, MAX_SESSION_NAME);
        Diagnostic::bad_arguments(format!("invalid session name `{}`", printable(shown)))
            .help(format!(
                "use at most {MAX_SESSION_NAME} letters, digits, `-`, `_` and `.`; do not start with `-`, `_` or `.`"
            ))
            .fail()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::Code;

    #[test]
    fn session_name_rejects_special_characters() {
        let long = "a".repeat(MAX_SESSION_NAME);
        for good in ["ann", "Анна", "2026-05-01_ann.b", "x", &long] {
            assert_eq!(SessionName::parse(good).unwrap().as_str(), good);
        }
        let too_long = "a".repeat(MAX_SESSION_NAME + 1);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            "-x",
            "a b",
            "a\0",
            "a'; --",
            "\u{1b}[2J",
            "a\n",
            &too_long,
        ] {
            assert_eq!(
                SessionName::parse(bad).unwrap_err().code,
                Code::BadArguments,
                "{bad:?}"
            );
        }
    }
}
