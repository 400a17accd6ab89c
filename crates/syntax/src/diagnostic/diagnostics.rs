//! A collection of findings.

use super::code::Code;
use super::diagnostic::{Diagnostic, Severity};
use super::foreign_keys::ForeignKeys;
use super::span::Span;
use crate::limits::MAX_FINDINGS;

/// A result, or the finding that explains the failure.
pub type Checked<T = ()> = Result<T, Box<Diagnostic>>;

/// All findings of a run, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    keys: ForeignKeys,
    /// The total size of the regular expressions in the document, in bytes. They share a limit.
    pub patterns: usize,
}

impl Diagnostics {
    /// Adds a finding. A duplicate (same code, title and location) is dropped. If the collection is full, a warning is
    /// dropped before an error.
    pub fn push(&mut self, item: Diagnostic) {
        if self.items.iter().any(|other| other.is_same(&item)) {
            return;
        }
        self.errors += usize::from(item.severity == Severity::Error);
        if self.items.len() == MAX_FINDINGS {
            self.dropped += 1;
            // A more severe finding replaces the last less severe one.
            let is_less = |other: &Diagnostic| other.severity < item.severity;
            let Some(less) = self.items.iter().rposition(is_less) else {
                return;
            };
            self.items.remove(less);
        }
        self.items.push(item);
    }

    /// Sets how ignored keys are reported from now on. Keys that were already noted stay noted.
    pub fn set_keys(&mut self, keys: ForeignKeys) {
        self.keys = keys;
    }

    /// An empty collection with the same rules for ignored keys. Its findings are added to this collection later.
    pub fn apart(&self) -> Self {
        Self {
            keys: self.keys.empty(),
            patterns: self.patterns,
            ..Self::default()
        }
    }

    /// Notes an ignored key, unless the project allows it.
    pub fn note_key(&mut self, key: &str, span: Span) {
        if !self.keys.is_own(key) {
            self.keys.note(key, span);
        }
    }

    /// Returns the error about an ignored key if such keys are errors. Otherwise notes the key, unless the project
    /// allows it.
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

    /// Reports an ignored key, if such keys are errors.
    pub fn push_key(&mut self, key: &str, span: Span, finding: impl FnOnce() -> Diagnostic) {
        if let Some(finding) = self.key_error(key, span, finding) {
            self.push(finding);
        }
    }

    /// Adds one note per file about the noted keys and resets the rules for ignored keys.
    pub fn report_ignored_keys(&mut self) {
        for note in std::mem::take(&mut self.keys).notes() {
            self.push(note);
        }
    }

    /// A collection of one finding.
    pub fn of(finding: Diagnostic) -> Self {
        let mut found = Self::default();
        found.push(finding);
        found
    }

    /// Unwraps a result. If it failed, adds its finding and returns `None`.
    pub fn take<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|finding| self.push(*finding)).ok()
    }

    /// Adds all findings of another collection.
    pub fn extend(&mut self, other: Self) {
        for item in other.items {
            self.push(item);
        }
        self.dropped += other.dropped;
        self.keys.extend(other.keys);
    }

    /// A copy without the notes about ignored keys.
    #[must_use]
    pub fn without_key_notes(&self) -> Self {
        let mut rest = self.clone();
        rest.items
            .retain(|item| item.severity != Severity::Note || item.code != Code::UnknownKey);
        rest
    }

    /// Sorts the findings by file and offset. Findings at the same location keep their order.
    pub fn sort(&mut self) {
        self.items.sort_by_key(Diagnostic::order);
    }

    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// The number of findings beyond the limit of the collection.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether a finding suggests `name`, so that the name is probably used there.
    pub fn suggests(&self, name: &str) -> bool {
        let mut items = self.items.iter();
        items.any(|item| item.replacement.as_deref() == Some(name))
    }

    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether the number of errors is still `errors`.
    pub fn no_errors_since(&self, errors: usize) -> bool {
        self.errors == errors
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether no error hides a state or a transition of a flow, so that its paths can be checked, too.
    pub fn keep_paths(&self) -> bool {
        let is_harmless = |item: &&Diagnostic| {
            let is_replaced = item.code == Code::UnknownState && item.replacement.is_some();
            item.severity == Severity::Error && (is_replaced || item.code.keeps_paths())
        };
        // Dropped errors are unknown, so they count as harmful.
        self.items.iter().filter(is_harmless).count() == self.errors
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl Diagnostic {
    /// Adds the finding to a collection.
    pub fn add_to(self, found: &mut Diagnostics) {
        found.push(self);
    }

    /// Adds the finding to a collection and returns `None`: the input is invalid.
    pub fn refuse<T>(self, found: &mut Diagnostics) -> Option<T> {
        found.push(self);
        None
    }
}
