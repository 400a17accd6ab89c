//! Ignored keys in files. The project allows some of them, and the others can be reported in one note per file.

use std::sync::Arc;

use super::code::Code;
use super::diagnostic::Diagnostic;
use super::listed::listed;
use super::span::Span;
use crate::limits::MAX_NAMED_KEYS;

/// The rules for ignored keys, and the ignored keys noted so far.
#[derive(Clone, Debug, Default)]
pub struct ForeignKeys {
    own: Arc<[Box<str>]>,
    as_notes: bool,
    noted: Vec<(Box<str>, Span)>,
}

impl ForeignKeys {
    /// Keys in `own` are never reported. Other keys are reported as one error each, or in one note per file.
    pub fn new(own: Arc<[Box<str>]>, as_notes: bool) -> Self {
        Self {
            own,
            as_notes,
            noted: Vec::new(),
        }
    }

    /// A copy of the rules without noted keys.
    pub(super) fn empty(&self) -> Self {
        Self {
            noted: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether the project allows the key.
    pub(super) fn is_own(&self, key: &str) -> bool {
        self.own.iter().any(|own| **own == *key)
    }

    /// Whether keys are reported in one note per file.
    pub(super) fn as_notes(&self) -> bool {
        self.as_notes
    }

    /// Records a key for the note about its file.
    pub(super) fn note(&mut self, key: &str, span: Span) {
        if !self.noted.iter().any(|(_, known)| *known == span) {
            self.noted.push((key.into(), span));
        }
    }

    /// Adds the noted keys of `other`.
    pub(super) fn extend(&mut self, other: Self) {
        for (key, span) in other.noted {
            self.note(&key, span);
        }
    }

    /// The notes, one per file.
    pub(super) fn notes(mut self) -> Vec<Diagnostic> {
        self.noted.sort_by_key(|(_, span)| *span);
        self.noted
            .chunk_by(|(_, a), (_, b)| a.file == b.file)
            .filter_map(Self::note_of)
            .collect()
    }

    fn note_of(keys: &[(Box<str>, Span)]) -> Option<Diagnostic> {
        let (first, span) = keys.first()?;
        let title = match keys.len() {
            1 => format!("ignored key `{first}`"),
            count => format!("{count} ignored keys"),
        };
        let label = if keys.len() == 1 {
            "unknown key"
        } else {
            "first unknown key"
        };
        let finding = Diagnostic::remark(Code::UnknownKey, title).at(*span, label);
        let mut names: Vec<&str> = Vec::new();
        for (key, _) in keys {
            if !names.contains(&&**key) {
                names.push(key);
            }
        }
        let keys_note = format!("the keys are {}", listed(names.into_iter(), MAX_NAMED_KEYS));
        let finding = if keys.len() == 1 {
            finding
        } else {
            finding.note(keys_note)
        };
        Some(
            finding
                .help("add the keys to `extra_keys` under `[lint]` in `fsmsim.toml` if other programs use them"),
        )
    }
}
