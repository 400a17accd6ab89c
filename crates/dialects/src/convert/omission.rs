//! The parts that a conversion omits, with their locations.

use std::collections::BTreeMap;

use fsmsim_syntax::diagnostic::{Place, SourceMap, Span};

/// An omitted part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The location in the source file, if known.
    pub span: Option<Span>,
    /// A description of the omitted part, and of its replacement if there is one.
    pub what: String,
}

impl Omission {
    /// The location for display.
    pub fn place(&self, sources: &SourceMap) -> Option<Place> {
        self.span.map(|span| sources.place(span))
    }
}

/// The list of omitted parts.
#[derive(Debug, Default)]
pub(super) struct Omissions {
    items: Vec<Omission>,
    /// Parts that are only counted: the first one of each kind, and their number.
    kinds: BTreeMap<&'static str, (Option<Span>, String, usize)>,
}

impl Omissions {
    /// Adds an omitted part. Duplicates are removed later.
    pub(super) fn add(&mut self, span: impl Into<Option<Span>>, what: impl Into<String>) {
        let span = span.into();
        let what = what.into();
        self.items.push(Omission { span, what });
    }

    /// Counts an omitted part. The list has one item per kind, with the first part as an example.
    pub(super) fn count(&mut self, kind: &'static str, span: impl Into<Option<Span>>, name: &str) {
        self.kinds
            .entry(kind)
            .or_insert_with(|| (span.into(), name.to_owned(), 0))
            .2 += 1;
    }

    /// All omitted parts, in the order in which they occur in the file.
    pub(super) fn all(self) -> Vec<Omission> {
        let mut items = self.items;
        for (kind, (span, name, number)) in self.kinds {
            let what = format!("{kind} ({number}), for example `{name}`");
            items.push(Omission { span, what });
        }
        items.sort_by(|a, b| (a.span, &a.what).cmp(&(b.span, &b.what)));
        items.dedup();
        items
    }
}
