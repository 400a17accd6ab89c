//! The parts of a trace that a map ignores.

use super::borrowed_json::BorrowedJson;
use super::path::Path;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Key, Node, texts_of};

/// The turns or events to ignore: those that have one of the texts at a location.
#[derive(Debug, Default)]
pub(super) struct Skips(Vec<(Path, Vec<Box<str>>)>);

impl Skips {
    /// Parses the entries of the key `what`.
    pub(super) fn read(entries: &[(Key, Node)], what: &str, found: &mut Diagnostics) -> Self {
        let skip = entries.iter().filter_map(|(key, node)| {
            let words = texts_of(node, what, found).into_iter().map(Into::into);
            let words = words.collect();
            Some((Path::parse_optional(&key.text, key.span, found)?, words))
        });
        Self(skip.collect())
    }

    /// Whether a turn or an event is ignored.
    pub(super) fn has(&self, value: &BorrowedJson<'_>, line: usize) -> bool {
        self.0.iter().any(|(path, words)| {
            let found = path.find(value, line);
            let text = found.as_deref().and_then(BorrowedJson::text);
            text.is_some_and(|text| words.iter().any(|word| **word == *text))
        })
    }

    /// The locations.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|(path, _)| path)
    }
}
