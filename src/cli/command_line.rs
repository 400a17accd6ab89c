//! A command that people can copy.

use std::fmt::Display;

use fsmsim_syntax::terminal::quoted;

/// A command that people can copy: words in quotation marks where a shell would take them apart, options as they are.
#[derive(Default)]
pub(super) struct CommandLine(String);

impl CommandLine {
    /// A command of this program, with these words behind it.
    pub(super) fn new(verb: &str, words: &[&str]) -> Self {
        let words = words.iter().filter(|word| !word.is_empty());
        Self(words.fold(format!("fsmsim {verb}"), |line, word| {
            format!("{line} {}", quoted(word))
        }))
    }

    /// The same, with an option where it has a value.
    pub(super) fn option(self, name: &str, value: Option<impl Display>) -> Self {
        let value = value
            .map(|value| value.to_string())
            .filter(|value| !value.is_empty());
        match value {
            Some(value) => Self(format!("{} --{name} {}", self.0, quoted(&value))),
            None => self,
        }
    }

    /// The same, with an option that has no value, where it is given.
    pub(super) fn flag(self, name: &str, is_given: bool) -> Self {
        if is_given {
            Self(format!("{} --{name}", self.0))
        } else {
            self
        }
    }

    /// As it is typed.
    pub(super) fn text(self) -> String {
        self.0
    }
}
