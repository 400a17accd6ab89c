//! What was taken out of a document, from where, and what was not: `fsmsim lint --explain-reading`.

use crate::diagnostic::{Code, Diagnostics, Severity, Span};

/// What was taken out of a document, and what was not.
#[derive(Clone, Debug, Default)]
pub struct DocumentReading {
    /// What is told, in the order in which it is shown.
    pub items: Vec<ReadingItem>,
}

/// One thing that was taken, or was not.
#[derive(Clone, Debug)]
pub struct ReadingItem {
    /// What it is.
    pub kind: ReadingKind,
    /// What it says.
    pub text: String,
    /// Why it is that; empty where that is plain.
    pub why: String,
    /// Where it stands.
    pub span: Span,
}

/// What something in a document was taken as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadingKind {
    /// A piece of the document out of which moves are taken.
    Source,
    /// Where a dialogue starts.
    Initial,
    /// Where a dialogue ends.
    Final,
    State,
    Move,
    /// Something that was not taken.
    Left,
}

impl DocumentReading {
    /// Adds something.
    pub fn tell(
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

    /// Adds what findings say that was not taken, and nothing else says.
    pub fn tell_left(&mut self, found: &Diagnostics) {
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
                self.tell(ReadingKind::Left, &*finding.title, "", label.span);
            }
        }
    }

    /// The items of a kind, in the order of the document.
    pub fn of(&self, kind: ReadingKind) -> Vec<&ReadingItem> {
        let mut items: Vec<&ReadingItem> =
            self.items.iter().filter(|item| item.kind == kind).collect();
        // A stable sort: what stands in one line stays in its order.
        if kind != ReadingKind::State {
            items.sort_by_key(|item| item.span);
        }
        items
    }
}
