//! The parts that a conversion omits, with their locations.

use fsmsim_syntax::diagnostic::{Place, SourceMap, Span};

/// An omitted part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its location, if it has one.
    pub span: Option<Span>,
    /// A description of the part and of its replacement, if any.
    pub what: String,
}

impl LeftOut {
    /// The location for display.
    pub fn place(&self, sources: &SourceMap) -> Option<Place> {
        self.span.map(|span| sources.place(span))
    }
}

/// The list of omitted parts.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    items: Vec<LeftOut>,
}

impl Leftovers {
    /// Adds an omitted part. Duplicates are removed later.
    pub(super) fn add(&mut self, span: impl Into<Option<Span>>, what: impl Into<String>) {
        let (span, what) = (span.into(), what.into());
        self.items.push(LeftOut { span, what });
    }

    /// All omitted parts, in the order of the file.
    pub(super) fn all(self) -> Vec<LeftOut> {
        let mut items = self.items;
        items.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
        items.dedup();
        items
    }
}
