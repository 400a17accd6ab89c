//! The names of a file, each with its place and with what it names there.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::file_format::FileFormat;
use super::line_index::LineIndex;
use super::mended_text::trees_of;
use super::named_kind::{NamedKind, NamedRole};
use super::path_pattern::{PathPatterns, PathProgress};
use crate::diagnostic::Span;
use crate::document::{Content, Node};

/// What the name of an action begins with that the arrival in a state is.
const ARRIVAL: &str = "transition_to_";

/// A name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedPlace {
    /// What kind of thing it names.
    pub(super) kind: NamedKind,
    /// What it does here.
    pub(super) role: NamedRole,
    /// The name.
    pub(super) name: Box<str>,
    /// Where it stands, without quotation marks.
    pub(super) at: Range<usize>,
    /// Of what is defined, where all of it stands.
    pub(super) whole: Option<Range<usize>>,
}

/// The names of a file, by their places.
#[derive(Clone, Debug)]
pub(super) struct FileIndex {
    /// The text, as it was read.
    pub(super) text: Arc<str>,
    /// Its lines.
    pub(super) lines: LineIndex,
    /// The format.
    pub(super) format: FileFormat,
    /// The names, in the order of the text.
    pub(super) places: Vec<NamedPlace>,
    /// Whether all of the text could be read.
    pub(super) is_whole: bool,
}

impl FileIndex {
    /// The names of a text; `None` where nothing of it can be read.
    pub(super) fn of(path: &Path, text: &Arc<str>) -> Option<Self> {
        let shown = path.to_str()?;
        if FileFormat::of(path, None) == FileFormat::Markdown {
            let (text, format) = (Arc::clone(text), FileFormat::Markdown);
            let lines = LineIndex::of(&text);
            return Some(Self { text, lines, format, places: Vec::new(), is_whole: true });
        }
        if FileFormat::of(path, None) == FileFormat::Config {
            return None;
        }
        let (trees, is_whole) = trees_of(shown, text)?;
        let format = FileFormat::of(path, trees.first());
        let patterns = PathPatterns::of(format);
        let mut reader = NameReader { text, patterns, places: Vec::new() };
        for tree in &trees {
            reader.read(tree, &patterns.begin());
        }
        let mut places = reader.places;
        places.sort_by_key(|place| (place.at.start, place.at.end, place.role));
        // What aliases repeat stands in one place.
        places.dedup_by(|one, other| one.at == other.at && one.kind == other.kind);
        Some(Self { text: Arc::clone(text), lines: LineIndex::of(text), format, places, is_whole })
    }

    /// The name at an offset, its end included.
    pub(super) fn at(&self, offset: usize) -> Option<&NamedPlace> {
        let behind = self.places.partition_point(|place| place.at.start <= offset);
        let near = self.places.get(behind.saturating_sub(4)..behind)?;
        near.iter().rev().find(|place| place.at.contains(&offset) || place.at.end == offset)
    }

    /// The places of a name.
    pub(super) fn named<'i>(&'i self, kind: NamedKind, name: &'i str) -> impl Iterator<Item = &'i NamedPlace> {
        self.places.iter().filter(move |place| place.kind == kind && &*place.name == name)
    }
}

/// Goes through a tree and gathers its names.
struct NameReader<'t> {
    text: &'t str,
    patterns: &'static PathPatterns,
    places: Vec<NamedPlace>,
}

impl NameReader<'_> {
    fn read(&mut self, node: &Node, at: &PathProgress) {
        if at.is_empty() {
            return;
        }
        match &node.content {
            Content::Scalar(_) => {
                if let (Some((kind, role)), Some(name)) = (self.patterns.value(at), node.text()) {
                    self.add(kind, role, name, node.span, None);
                }
            }
            Content::List(items) => items.iter().for_each(|item| self.read(item, at)),
            Content::Map(map) => {
                let named = self.patterns.key(at);
                for (key, value) in &map.entries {
                    if let Some((kind, role)) = named {
                        let whole = (role == NamedRole::Defines).then(|| key.span.to(value.span));
                        self.add(kind, role, &key.text, key.span, whole);
                    }
                    self.read(value, &self.patterns.enter(at, &key.text));
                }
            }
        }
    }

    fn add(&mut self, kind: NamedKind, role: NamedRole, name: &str, span: Span, whole: Option<Span>) {
        let offsets = |span: Span| span.start as usize..span.end as usize;
        let mut at = offsets(span);
        let written = self.text.get(at.clone()).unwrap_or_default();
        if written.len() == name.len() + 2 && written.starts_with(['"', '\'']) {
            at = at.start + 1..at.end - 1;
        }
        // A placeholder names what is put there; what is written otherwise than it reads has no place of its own.
        if name.is_empty() || name.contains("{{") || self.text.get(at.clone()) != Some(name) {
            return;
        }
        let arrives = name.strip_prefix(ARRIVAL).filter(|_| kind == NamedKind::Action);
        let (kind, at, name) = match arrives {
            Some(state) => (NamedKind::State, at.start + ARRIVAL.len()..at.end, state),
            None => (kind, at, name),
        };
        let role = if arrives.is_some() { NamedRole::Uses } else { role };
        let whole = whole.map(offsets).filter(|whole| whole.end >= at.end);
        self.places.push(NamedPlace { kind, role, name: name.into(), at, whole });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NamedKind::{Condition, Intent, State};

    #[test]
    fn names_are_found_where_they_stand() {
        let text: Arc<str> =
            "states:\n  greeting:\n    transitions:\n      \"price\": {when: rich, then: 'close'}\n".into();
        let index = FileIndex::of(Path::new("/a/flow.yaml"), &text).unwrap();
        let shown: Vec<(&str, NamedKind)> =
            index.places.iter().map(|place| (&text[place.at.clone()], place.kind)).collect();
        assert_eq!(shown, [("greeting", State), ("price", Intent), ("rich", Condition), ("close", State)]);
        let at = text.find("close").unwrap();
        for offset in [at, at + 2, at + 5] {
            assert_eq!(&*index.at(offset).unwrap().name, "close");
        }
        assert!(index.at(at - 2).is_none());
        assert!(index.at(text.len()).is_none());
    }
}
