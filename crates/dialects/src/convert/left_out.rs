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
    /// Notes something, which may stand nowhere. What is looked at twice is told once.
    pub(super) fn add(&mut self, span: impl Into<Option<Span>>, what: impl Into<String>) {
        let (span, what) = (span.into(), what.into());
        self.items.push(LeftOut { span, what });
    }

    /// Everything, in the order of the file.
    pub(super) fn all(self) -> Vec<LeftOut> {
        let mut items = self.items;
        items.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
        items.dedup();
        items
    }
}
