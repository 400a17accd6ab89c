//! What was taken out of a document, from where, and what was not: `fsmsim lint --explain-reading`.

use crate::diagnostic::Span;

/// What was taken out of a document, and what was not.
#[derive(Clone, Debug, Default)]
pub struct Reading {
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
    /// A state.
    State,
    /// A move.
    Move,
    /// Something that was not taken.
    Left,
}

impl Reading {
    /// Adds something.
    pub(super) fn tell(&mut self, kind: ReadingKind, text: impl Into<String>, why: impl Into<String>, span: Span) {
        self.items.push(ReadingItem { kind, text: text.into(), why: why.into(), span });
    }

    /// The items of a kind, in the order of the document.
    pub fn of(&self, kind: ReadingKind) -> Vec<&ReadingItem> {
        let mut items: Vec<&ReadingItem> = self.items.iter().filter(|item| item.kind == kind).collect();
        // A stable sort: what stands in one line stays in its order.
        if kind != ReadingKind::State {
            items.sort_by_key(|item| item.span);
        }
        items
    }
}
