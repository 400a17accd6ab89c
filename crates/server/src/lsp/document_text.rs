//! A document as it stands in an editor.

use std::sync::Arc;

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

use super::line_index::{ColumnUnit, LineIndex};

/// The text of a document, and its version.
#[derive(Clone, Debug)]
pub(super) struct DocumentText {
    pub(super) text: Arc<str>,
    pub(super) lines: LineIndex,
    /// The version, as the editor counts.
    pub(super) version: i32,
}

impl DocumentText {
    /// A text of this version.
    pub(super) fn new(text: &str, version: i32) -> Self {
        Self {
            text: text.into(),
            lines: LineIndex::of(text),
            version,
        }
    }

    /// The text after changes, each of which sees those before it.
    pub(super) fn change(
        &mut self,
        changes: &[TextDocumentContentChangeEvent],
        version: i32,
        unit: ColumnUnit,
    ) {
        for change in changes {
            let text = match change.range {
                None => change.text.clone(),
                Some(range) => {
                    let (start, end) = self.offsets(range, unit);
                    let kept = self
                        .text
                        .get(..start)
                        .zip(self.text.get(end..))
                        .unwrap_or((&self.text, ""));
                    [kept.0, &change.text, kept.1].concat()
                }
            };
            *self = Self::new(&text, version);
        }
        self.version = version;
    }

    pub(super) fn offset(&self, position: Position, unit: ColumnUnit) -> usize {
        self.lines.offset(position, &self.text, unit)
    }

    /// The offsets of a range, in their order.
    pub(super) fn offsets(&self, range: Range, unit: ColumnUnit) -> (usize, usize) {
        let (start, end) = (self.offset(range.start, unit), self.offset(range.end, unit));
        (start.min(end), start.max(end))
    }

    /// The range between two offsets.
    pub(super) fn range(&self, offsets: (usize, usize), unit: ColumnUnit) -> Range {
        self.lines.range(offsets, &self.text, unit)
    }
}
