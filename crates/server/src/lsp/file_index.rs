//! Indexes the names in a file, with their positions and roles.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::error_tolerant_parse::trees_of;
use super::file_format::FileFormat;
use super::line_index::LineIndex;
use super::named_kind::{NamedKind, NamedParameter, NamedRole};
use super::shape_cursor::ShapeCursor;
use fsmsim_harness::scenario::parse_transcript;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Content, Node, front_of};
use fsmsim_syntax::shapes::NameUse;

/// The prefix of the action that enters a state.
const ARRIVAL: &str = "transition_to_";

/// An occurrence of a name in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedPlace {
    pub kind: NamedKind,
    /// Whether this place defines, introduces or uses the name.
    pub role: NamedRole,
    pub name: Box<str>,
    /// The range of the name, without quotation marks.
    pub at: Range<usize>,
    /// The range of the complete definition, if this place is one.
    pub whole: Option<Range<usize>>,
}

/// The names in a file, by position.
#[derive(Clone, Debug)]
pub(super) struct FileIndex {
    /// The indexed text.
    pub text: Arc<str>,
    pub lines: LineIndex,
    pub format: FileFormat,
    /// The names, in text order.
    pub places: Vec<NamedPlace>,
    /// The scenario parameters that occur in place of names.
    pub parameters: Vec<NamedParameter>,
    /// Whether the complete text was parsed.
    pub is_whole: bool,
}

impl FileIndex {
    /// The names in a text; `None` if no part of it can be parsed.
    pub(super) fn of(path: &Path, text: &Arc<str>) -> Option<Self> {
        let shown = path.to_str()?;
        let format = FileFormat::of(path, None);
        if format == FileFormat::Markdown {
            let (trees, is_whole, format) = match transcript_of(path, text) {
                Some((tree, is_whole)) => {
                    (tree.into_iter().collect(), is_whole, FileFormat::Transcript)
                }
                None => (Vec::new(), true, FileFormat::Markdown),
            };
            return Some(Self::from_trees(text, format, &trees, is_whole));
        }
        let is_never_yaml = path
            .extension()
            .is_none_or(|extension| extension == "toml" || extension == "csv");
        if is_never_yaml && matches!(format, FileFormat::Config | FileFormat::Other) {
            return None;
        }
        let (trees, is_whole) = trees_of(shown, text)?;
        let format = FileFormat::of(path, trees.first());
        Some(Self::from_trees(text, format, &trees, is_whole))
    }

    fn from_trees(text: &Arc<str>, format: FileFormat, trees: &[Node], is_whole: bool) -> Self {
        let root = ShapeCursor::of(format);
        let mut reader = NameReader {
            text,
            places: Vec::new(),
            parameters: Vec::new(),
        };
        let mut parameters = Vec::new();
        for tree in trees {
            reader.read(tree, &root);
            reader.read_cases(tree);
            parameters.append(&mut reader.parameters);
        }
        let mut places = reader.places;
        places.sort_by_key(|place| (place.at.start, place.at.end, place.role));
        // Aliases repeat a node with the same position.
        places.dedup_by(|one, other| one.at == other.at && one.kind == other.kind);
        Self {
            text: Arc::clone(text),
            lines: LineIndex::of(text),
            format,
            places,
            parameters,
            is_whole,
        }
    }

    /// The name at an offset or directly before it.
    pub(super) fn at(&self, offset: usize) -> Option<&NamedPlace> {
        let end = self
            .places
            .partition_point(|place| place.at.start <= offset);
        let near = self.places.get(end.saturating_sub(4)..end)?;
        near.iter()
            .rev()
            .find(|place| place.at.contains(&offset) || place.at.end == offset)
    }

    /// The occurrences of a name.
    pub(super) fn named<'i>(
        &'i self,
        kind: NamedKind,
        name: &'i str,
    ) -> impl Iterator<Item = &'i NamedPlace> {
        self.places
            .iter()
            .filter(move |place| place.kind == kind && &*place.name == name)
    }
}

/// The scenario tree of a Markdown dialogue, and whether the dialogue is valid. `None` if the text is not a dialogue.
fn transcript_of(path: &Path, text: &str) -> Option<(Option<Node>, bool)> {
    let (front, _) = front_of(text)?;
    let front = text.get(front)?;
    let mut sources = SourceMap::default();
    let file = sources.add(path.to_str()?, text);
    match parse_transcript(file, path, text, &mut Diagnostics::default()) {
        Some(tree) => Some((Some(tree), true)),
        None => front
            .lines()
            .any(|line| line.starts_with("scenario:"))
            .then_some((None, false)),
    }
}

/// Collects the names of a tree.
struct NameReader<'t> {
    text: &'t str,
    places: Vec<NamedPlace>,
    /// The parameters of the document that occur in place of names.
    parameters: Vec<NamedParameter>,
}

impl NameReader<'_> {
    fn read(&mut self, node: &Node, at: &ShapeCursor) {
        if at.is_empty() {
            return;
        }
        match &node.content {
            Content::Scalar(_) => {
                if let (Some(place), Some(name)) = (at.value_name(), node.text()) {
                    self.add(place, name, node.span, None);
                }
            }
            Content::List(items) => items.iter().for_each(|item| self.read(item, at)),
            Content::Map(map) => {
                let named = at.key_name();
                for (key, value) in &map.entries {
                    if let Some(place) = named {
                        let defines = place.role == NamedRole::Defines;
                        let whole = defines.then(|| key.span.to(value.span));
                        self.add(place, &key.text, key.span, whole);
                    }
                    self.read(value, &at.enter(&key.text));
                }
            }
        }
    }

    /// Reads the names in the cases of a scenario: a parameter value has the kind of the name that the parameter
    /// replaces.
    fn read_cases(&mut self, tree: &Node) {
        let Some(cases) = tree.get("cases") else {
            return;
        };
        let maps = [cases.get("pairwise"), Some(cases)]
            .into_iter()
            .flatten()
            .chain(cases.list().into_iter().flatten());
        let entries: Vec<_> = maps.flat_map(Node::entries).collect();
        for (key, value) in entries {
            let known = self.parameters.iter().find(|(name, _)| *name == key.text);
            let Some((_, kind)) = known.cloned() else {
                continue;
            };
            let role = NamedRole::Uses;
            for item in value.items() {
                if let Some(name) = item.text() {
                    self.add(NameUse { kind, role }, name, item.span, None);
                }
            }
        }
    }

    fn add(
        &mut self,
        NameUse { kind, role }: NameUse,
        name: &str,
        span: Span,
        whole: Option<Span>,
    ) {
        let offsets = |span: Span| span.start as usize..span.end as usize;
        let mut at = offsets(span);
        let written = self.text.get(at.clone()).unwrap_or_default();
        if written.len() == name.len() + 2 && written.starts_with(['"', '\'']) {
            at = at.start + 1..at.end - 1;
        }
        let parameter = name
            .strip_prefix("{{")
            .and_then(|name| name.strip_suffix("}}"));
        if let Some(parameter) = parameter
            .map(str::trim)
            .filter(|name| !name.contains(['{', '}']))
        {
            self.parameters.push((parameter.into(), kind));
        }
        // A placeholder is not a name. A name with escapes has no exact range, so it is not indexed.
        if name.is_empty() || name.contains("{{") || self.text.get(at.clone()) != Some(name) {
            return;
        }
        let arrives = name
            .strip_prefix(ARRIVAL)
            .filter(|_| kind == NamedKind::Action);
        let (kind, at, name) = match arrives {
            Some(state) => (NamedKind::State, at.start + ARRIVAL.len()..at.end, state),
            None => (kind, at, name),
        };
        let role = if arrives.is_some() {
            NamedRole::Uses
        } else {
            role
        };
        let whole = whole.map(offsets).filter(|whole| whole.end >= at.end);
        self.places.push(NamedPlace {
            kind,
            role,
            name: name.into(),
            at,
            whole,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NamedKind::{Condition, Intent, State};

    #[test]
    fn names_are_found_at_their_positions() {
        let text: Arc<str> =
            "states:\n  greeting:\n    transitions:\n      \"price\": {when: rich, then: 'close'}\n".into();
        let index = FileIndex::of(Path::new("/a/flow.yaml"), &text).unwrap();
        let shown: Vec<(&str, NamedKind)> = index
            .places
            .iter()
            .map(|place| (&text[place.at.clone()], place.kind))
            .collect();
        assert_eq!(
            shown,
            [
                ("greeting", State),
                ("price", Intent),
                ("rich", Condition),
                ("close", State)
            ]
        );
        let at = text.find("close").unwrap();
        for offset in [at, at + 2, at + 5] {
            assert_eq!(&*index.at(offset).unwrap().name, "close");
        }
        assert!(index.at(at - 2).is_none());
        assert!(index.at(text.len()).is_none());
    }
}
