//! Findings as they are collected.

use super::code::Code;
use super::diagnostic::{Diagnostic, Severity};
use super::foreign_keys::ForeignKeys;
use super::span::Span;
use crate::limits::MAX_FINDINGS;

/// What came of something, or the finding that says why nothing did.
pub type Checked<T = ()> = Result<T, Box<Diagnostic>>;

/// All findings of a run, in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    keys: ForeignKeys,
}

impl Diagnostics {
    /// Adds a finding; one that is already there (same code, title and place) is dropped.
    pub fn push(&mut self, item: Diagnostic) {
        if self.items.iter().any(|other| other.is_same(&item)) {
            return;
        }
        self.errors += usize::from(item.severity == Severity::Error);
        if self.items.len() < MAX_FINDINGS {
            self.items.push(item);
        } else {
            self.dropped += 1;
        }
    }

    /// What is told from now on of keys that nobody reads; those that are noted so far stay so.
    pub fn set_keys(&mut self, keys: ForeignKeys) {
        self.keys = keys;
    }

    /// No findings, but the same is told of keys: for what is added to these later.
    pub fn apart(&self) -> Self {
        Self {
            keys: self.keys.empty(),
            ..Self::default()
        }
    }

    /// Notes a key that nobody reads and that may be somebody else's.
    pub fn note_key(&mut self, key: &str, span: Span) {
        if !self.keys.is_own(key) {
            self.keys.note(key, span);
        }
    }

    /// The finding about a key that nobody reads, where it is told as an error; else it is noted, or the project's own.
    pub fn key_error(
        &mut self,
        key: &str,
        span: Span,
        finding: impl FnOnce() -> Diagnostic,
    ) -> Option<Diagnostic> {
        if self.keys.as_notes() {
            self.note_key(key, span);
            return None;
        }
        (!self.keys.is_own(key)).then(finding)
    }

    /// Tells a key that nobody reads, where it is told as an error.
    pub fn push_key(&mut self, key: &str, span: Span, finding: impl FnOnce() -> Diagnostic) {
        if let Some(finding) = self.key_error(key, span, finding) {
            self.push(finding);
        }
    }

    /// Tells the keys that are noted, one note a file, and forgets what was to be told of keys.
    pub fn tell_keys(&mut self) {
        for note in std::mem::take(&mut self.keys).notes() {
            self.push(note);
        }
    }

    /// One finding alone.
    pub fn of(finding: Diagnostic) -> Self {
        let mut found = Self::default();
        found.push(finding);
        found
    }

    /// What came of something; nothing where that is a finding, which is added to the others.
    pub fn take<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|finding| self.push(*finding)).ok()
    }

    /// Adds all findings of another run.
    pub fn extend(&mut self, other: Self) {
        for item in other.items {
            self.push(item);
        }
        self.dropped += other.dropped;
        self.keys.extend(other.keys);
    }

    /// The same without the notes about keys that nobody reads.
    #[must_use]
    pub fn without_key_notes(&self) -> Self {
        let mut rest = self.clone();
        rest.items
            .retain(|item| item.severity != Severity::Note || item.code != Code::UnknownKey);
        rest
    }

    /// Puts the findings into the order of their files, from the top; those of one place stay as they came.
    pub fn sort(&mut self) {
        self.items.sort_by_key(Diagnostic::order);
    }

    /// The findings.
    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// How many findings were made beyond those that are kept.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The number of errors.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether no error was added since there were `errors` of them.
    pub fn no_errors_since(&self, errors: usize) -> bool {
        self.errors == errors
    }

    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether there is no finding at all.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl Diagnostic {
    /// Adds the finding to the others.
    pub fn add_to(self, found: &mut Diagnostics) {
        found.push(self);
    }

    /// Adds the finding to the others, and gives nothing: what it is about cannot be used.
    pub fn refuse<T>(self, found: &mut Diagnostics) -> Option<T> {
        found.push(self);
        None
    }
}
