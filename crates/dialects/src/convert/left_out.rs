//! What a conversion leaves out, with places.

use fsmsim_syntax::diagnostic::{Place, SourceMap, Span};

/// Something that the other side has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it stands; nothing where it stands nowhere in particular.
    pub span: Option<Span>,
    /// What it is, and what became of it.
    pub what: String,
}

impl LeftOut {
    /// The place for people.
    pub fn place(&self, sources: &SourceMap) -> Option<Place> {
        self.span.map(|span| sources.place(span))
    }
}

/// All that a conversion leaves out.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    items: Vec<LeftOut>,
}

impl Leftovers {
    /// Notes something. What is looked at twice is told once.
    pub(super) fn add(&mut self, span: Span, what: impl Into<String>) {
        self.note(Some(span), what);
    }

    /// Notes something that may stand nowhere.
    pub(super) fn note(&mut self, span: Option<Span>, what: impl Into<String>) {
        self.items.push(LeftOut {
            span,
            what: what.into(),
        });
    }

    /// Everything, in the order of the file.
    pub(super) fn all(self) -> Vec<LeftOut> {
        let mut items = self.items;
        items.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
        items.dedup();
        items
    }
}
