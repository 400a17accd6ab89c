//! Keys that nobody reads: of which nothing is told, and which are told as one note a file.

use std::sync::Arc;

use super::code::Code;
use super::diagnostic::Diagnostic;
use super::listed::listed;
use super::span::Span;
use crate::limits::MAX_NAMED_KEYS;

/// What is told of keys that nobody reads.
#[derive(Clone, Debug, Default)]
pub struct ForeignKeys {
    own: Arc<[Box<str>]>,
    as_notes: bool,
    noted: Vec<(Box<str>, Span)>,
}

impl ForeignKeys {
    /// Nothing is told of a project's `own` keys; of others there is an error each, or one note a file.
    pub fn new(own: Arc<[Box<str>]>, as_notes: bool) -> Self {
        Self {
            own,
            as_notes,
            noted: Vec::new(),
        }
    }

    /// The same, with nothing kept yet.
    pub(super) fn empty(&self) -> Self {
        Self {
            noted: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether the project calls the key its own.
    pub(super) fn is_own(&self, key: &str) -> bool {
        self.own.iter().any(|own| **own == *key)
    }

    /// Whether other keys are told as one note a file.
    pub(super) fn as_notes(&self) -> bool {
        self.as_notes
    }

    /// Keeps a key for the note of its file.
    pub(super) fn note(&mut self, key: &str, span: Span) {
        if !self.noted.iter().any(|(_, known)| *known == span) {
            self.noted.push((key.into(), span));
        }
    }

    /// Keeps the keys that others have kept.
    pub(super) fn extend(&mut self, other: Self) {
        for (key, span) in other.noted {
            self.note(&key, span);
        }
    }

    /// The notes, one a file.
    pub(super) fn notes(mut self) -> Vec<Diagnostic> {
        self.noted.sort_by_key(|(_, span)| *span);
        let files = self.noted.chunk_by(|(_, a), (_, b)| a.file == b.file);
        files.filter_map(Self::note_of).collect()
    }

    fn note_of(keys: &[(Box<str>, Span)]) -> Option<Diagnostic> {
        let (first, span) = keys.first()?;
        let title = match keys.len() {
            1 => format!("nobody reads the key `{first}`"),
            count => format!("nobody reads {count} keys of this file"),
        };
        let label = if keys.len() == 1 {
            "not read"
        } else {
            "the first of them"
        };
        let finding = Diagnostic::remark(Code::UnknownKey, title).at(*span, label);
        let mut names: Vec<&str> = Vec::new();
        for (key, _) in keys {
            if !names.contains(&&**key) {
                names.push(key);
            }
        }
        let told = format!("the keys are {}", listed(names.into_iter(), MAX_NAMED_KEYS));
        let finding = if keys.len() == 1 {
            finding
        } else {
            finding.note(told)
        };
        Some(
            finding
                .help("name them under `known_keys` of `[lint]` in `fsmsim.toml` if they are meant for somebody else"),
        )
    }
}
