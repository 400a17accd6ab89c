//! A document that is open in an editor.

use std::path::Path;
use std::sync::Arc;

use gen_lsp_types::{Position, Range, VersionedTextDocumentIdentifier};
use serde::Deserialize;

use super::file_index::FileIndex;
use super::line_index::{ColumnUnit, LineIndex};

/// The changes that an editor sends. The corresponding type in the protocol library would treat a change with an
/// invalid range as a full text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextChanges {
    pub text_document: VersionedTextDocumentIdentifier,
    pub content_changes: Vec<TextChange>,
}

/// The new text for a range, or the full text.
#[derive(Deserialize)]
pub(super) struct TextChange {
    range: Option<Range>,
    text: String,
}

/// A document that is open in an editor.
#[derive(Debug)]
pub(super) struct OpenDocument {
    pub text: Arc<str>,
    lines: LineIndex,
    /// The version number that the editor assigned.
    pub version: i32,
    /// The names in the last text that could be parsed.
    pub index: Option<Arc<FileIndex>>,
    is_changed: bool,
}

impl OpenDocument {
    pub(super) fn new(text: &str, version: i32) -> Self {
        Self {
            text: text.into(),
            lines: LineIndex::of(text),
            version,
            index: None,
            is_changed: true,
        }
    }

    /// Applies changes in order.
    pub(super) fn change(&mut self, changes: &[TextChange], version: i32, unit: ColumnUnit) {
        for change in changes {
            let text = match change.range {
                None => change.text.clone(),
                Some(range) => {
                    let range = self.offsets(range, unit);
                    let kept = self
                        .text
                        .get(..range.start)
                        .zip(self.text.get(range.end..))
                        .unwrap_or((&self.text, ""));
                    [kept.0, &change.text, kept.1].concat()
                }
            };
            self.lines = LineIndex::of(&text);
            self.text = text.into();
        }
        self.version = version;
        self.is_changed = true;
    }

    /// Indexes the names again if the text has changed.
    pub(super) fn refresh(&mut self, path: &Path) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let index = FileIndex::of(path, &self.text);
        // While the text is invalid, the last index is kept.
        let last = || {
            Some(FileIndex {
                is_whole: false,
                ..FileIndex::clone(self.index.as_deref()?)
            })
        };
        self.index = index.or_else(last).map(Arc::new);
    }

    pub(super) fn offset(&self, position: Position, unit: ColumnUnit) -> usize {
        self.lines.offset(position, &self.text, unit)
    }

    /// The offsets of a range in ascending order.
    pub(super) fn offsets(&self, range: Range, unit: ColumnUnit) -> std::ops::Range<usize> {
        let start = self.offset(range.start, unit);
        let end = self.offset(range.end, unit);
        start.min(end)..start.max(end)
    }

    /// The range between two offsets.
    pub(super) fn range(&self, at: &std::ops::Range<usize>, unit: ColumnUnit) -> Range {
        self.lines.range(at, &self.text, unit)
    }
}
