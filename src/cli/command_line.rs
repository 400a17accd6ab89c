//! A command that users can copy.

use std::fmt::Display;
use std::path::PathBuf;

use fsmsim_syntax::terminal::quoted;

/// A command that users can copy: words are quoted if the shell requires it, options are unchanged.
#[derive(Default)]
pub(super) struct CommandLine(String);

impl CommandLine {
    /// A command of this program with these words.
    pub(super) fn new(verb: &str, words: &[&str]) -> Self {
        let words = words.iter().filter(|word| !word.is_empty());
        Self(words.fold(format!("fsmsim {verb}"), |line, word| {
            format!("{line} {}", quoted(word))
        }))
    }

    /// Adds paths.
    pub(super) fn paths(self, paths: &[PathBuf]) -> Self {
        let words = paths.iter().map(|path| path.display().to_string());
        Self(words.fold(self.0, |line, word| line + " " + &quoted(&word)))
    }

    /// Adds an option if it has a value.
    pub(super) fn option(self, name: &str, value: Option<impl Display>) -> Self {
        let value = value
            .map(|value| value.to_string())
            .filter(|value| !value.is_empty());
        match value {
            Some(value) => Self(format!("{} --{name} {}", self.0, quoted(&value))),
            None => self,
        }
    }

    /// Adds an option without a value if it is given.
    pub(super) fn flag(self, name: &str, is_given: bool) -> Self {
        if is_given {
            Self(format!("{} --{name}", self.0))
        } else {
            self
        }
    }

    /// The command line.
    pub(super) fn text(self) -> String {
        self.0
    }
}
