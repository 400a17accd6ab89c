//! The elements extracted from a document with their locations, and the parts that were ignored:
//! `fsmsim lint --explain-extraction`.

use crate::diagnostic::{Code, Diagnostics, Severity, Span};

/// The elements extracted from a document, and the parts that were ignored.
#[derive(Clone, Debug, Default)]
pub struct DocumentReading {
    /// The elements in display order.
    pub items: Vec<ReadingItem>,
}

/// An extracted element or an ignored part.
#[derive(Clone, Debug)]
pub struct ReadingItem {
    pub kind: ReadingKind,
    pub text: String,
    /// The reason for this classification. Empty if the reason is obvious.
    pub why: String,
    pub span: Span,
}

/// The kind of an element of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadingKind {
    /// A part of the document from which transitions are extracted.
    Source,
    /// The initial state.
    Initial,
    /// A final state.
    Final,
    State,
    Move,
    /// A part that was ignored.
    Left,
}

impl DocumentReading {
    pub fn add(
        &mut self,
        kind: ReadingKind,
        text: impl Into<String>,
        why: impl Into<String>,
        span: Span,
    ) {
        self.items.push(ReadingItem {
            kind,
            text: text.into(),
            why: why.into(),
            span,
        });
    }

    /// Adds the ignored parts that findings report and that are not in the list yet.
    pub fn add_ignored(&mut self, found: &Diagnostics) {
        for finding in found
            .items()
            .iter()
            .filter(|finding| finding.code == Code::NotTaken)
        {
            let Some(label) = finding.labels.first() else {
                continue;
            };
            let known = self
                .items
                .iter()
                .any(|item| item.kind == ReadingKind::Left && item.span == label.span);
            if !known && finding.severity == Severity::Warning {
                self.add(ReadingKind::Left, &*finding.title, "", label.span);
            }
        }
    }

    /// The items of a kind, in the order of the document.
    pub fn of(&self, kind: ReadingKind) -> Vec<&ReadingItem> {
        let mut items: Vec<&ReadingItem> =
            self.items.iter().filter(|item| item.kind == kind).collect();
        // The sort is stable: elements of one line keep their order.
        if kind != ReadingKind::State {
            items.sort_by_key(|item| item.span);
        }
        items
    }
}
