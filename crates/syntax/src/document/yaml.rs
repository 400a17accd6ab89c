//! Parses YAML, and so JSON, into a [`Node`] tree.
//!
//! Only this module uses the YAML parser. A syntax error stops parsing, because the rest of the document is unreliable.
//! Other errors (duplicate keys, unknown aliases, tags) are reported, and the tree is still built.

use std::path::Path;

use granit_parser::{ErrorKind, Event, Parser, ScanError, StrInput, StructureStyle, Tag};
use rustc_hash::FxHashMap;

use super::file::read_file;
use super::node::{Content, Key, Map, Node, Scalar};
use super::simple_yaml::{SimpleYaml, YamlText};
use super::yaml_typos as typos;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::limits::{LEVELS, MAX_ALIASED_VALUES, MAX_ANCHORED_VALUES};

/// For the budget, each multiple of this size in bytes makes a text count as one more value.
const TEXT_SIZE: usize = 64;
/// Larger maps use a hash map to find duplicate keys.
const SMALL_MAP: usize = 16;

/// Parses the first document of `text`, which starts at byte `base` of `file`.
///
/// An empty document is null. A second document is an error. Returns `None`, with a finding, if the text is not valid
/// YAML or exceeds its budget.
pub fn parse_yaml(file: FileId, text: &str, base: usize, found: &mut Diagnostics) -> Option<Node> {
    let of = YamlText { file, text, base };
    SimpleYaml::read(of, ("", usize::MAX)).or_else(|| YamlReader::new(of).read(found, |_| {}))
}

/// Parses the first document of a file. Returns `None`, with a finding, if the file is unreadable or invalid.
pub fn read_yaml(
    path: &Path,
    limit: u64,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    let file = read_file(path, limit, sources, found)?;
    let node = parse_yaml(file, sources.file(file)?.text(), 0, found)?;
    let is_json = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("json"));
    Some(if is_json {
        node.with_json_numbers()
    } else {
        node
    })
}

/// A document that is parsed step by step.
pub(super) struct YamlReader<'t> {
    of: YamlText<'t>,
    parser: Parser<'t, StrInput<'t>>,
    pub tree: TreeBuilder,
}

pub(super) enum Progress {
    More,
    End,
    GiveUp,
}

#[derive(Default)]
pub(super) struct TreeBuilder {
    open: Vec<Open>,
    anchors: FxHashMap<usize, (Node, usize)>,
    spent: usize,
    kept: usize,
    root: Option<Node>,
}

/// An unfinished collection.
struct Open {
    start: Span,
    anchor: usize,
    /// The number of nodes in the collection, for the alias budget.
    size: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map {
        map: Map,
        merges: Vec<Node>,
        key: Pending,
        seen: FxHashMap<Box<str>, Span>,
        /// Whether the map is written in braces.
        in_braces: bool,
        /// The name of a placeholder without quotation marks.
        placeholder: Option<Box<str>>,
    },
}

/// The kind of the next node of a map.
enum Pending {
    Key,
    Value(Key),
    Merge,
    /// The value of an invalid key.
    Skip,
}

impl<'t> YamlReader<'t> {
    pub(super) fn new(of: YamlText<'t>) -> Self {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_unresolved_aliases: true,
        };
        Self {
            of,
            parser: Parser::new_from_str_with_options(of.text, options),
            tree: TreeBuilder::default(),
        }
    }

    /// Parses the complete document. Calls `each` with the tree after every step.
    pub(super) fn read(
        mut self,
        found: &mut Diagnostics,
        mut each: impl FnMut(&mut TreeBuilder),
    ) -> Option<Node> {
        loop {
            match self.step(found) {
                Progress::More => each(&mut self.tree),
                Progress::End => break,
                Progress::GiveUp => return None,
            }
        }
        self.check_end(found);
        let YamlText { file, base, .. } = self.of;
        Some(
            self.tree
                .root
                .unwrap_or_else(|| Node::null(Span::new(file, base, base))),
        )
    }

    /// Reports content after the first document, which is ignored.
    fn check_end(&mut self, found: &mut Diagnostics) {
        let YamlText { file, text, base } = self.of;
        for next in self.parser.by_ref() {
            match next {
                Ok((Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd, _)) => {}
                // An empty document, for example after a final `---`.
                Ok((Event::Scalar(text, ..), _)) if text == "~" => {}
                Ok((_, span)) => {
                    let start = base + span.byte_range().map_or(0, |range| range.start);
                    return Diagnostic::error(
                        Code::ExtraDocument,
                        "expected one document, found several",
                    )
                    .at(Span::new(file, start, start + 1), "second document")
                    .help("remove the line `---`, or move the second document to a separate file")
                    .add_to(found);
                }
                Err(error) => return found.push(syntax_error(&error, file, text, base)),
            }
        }
    }

    /// Parses the next event.
    pub(super) fn step(&mut self, found: &mut Diagnostics) -> Progress {
        let YamlText { file, text, base } = self.of;
        match self.parser.next() {
            None => Progress::End,
            Some(Ok((event, span))) => {
                let span = span.byte_range().unwrap_or(0..0);
                self.tree.take(
                    event,
                    Span::new(file, base + span.start, base + span.end),
                    found,
                )
            }
            Some(Err(error)) => {
                found.push(syntax_error(&error, file, text, base));
                Progress::GiveUp
            }
        }
    }
}

impl TreeBuilder {
    /// The items parsed so far of the list under `key` of the root map. `None` if the parser is elsewhere or the list
    /// has an anchor.
    pub(super) fn items_under(&mut self, key: &str) -> Option<&mut Vec<Node>> {
        let [
            document,
            Open {
                anchor: 0,
                kind: OpenKind::List(items),
                ..
            },
        ] = self.open.as_mut_slice()
        else {
            return None;
        };
        let is_there = matches!(&document.kind, OpenKind::Map { key: Pending::Value(name), .. } if &*name.text == key);
        is_there.then_some(items)
    }

    fn take(&mut self, event: Event<'_>, span: Span, found: &mut Diagnostics) -> Progress {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == granit_parser::ScalarStyle::Plain
                    && may_be_typed(tag.as_deref(), span, found);
                let size = 1 + text.len() / TEXT_SIZE;
                let node = Node {
                    span,
                    content: Content::Scalar(Scalar {
                        text: text.into(),
                        plain,
                    }),
                };
                self.finish(node, anchor, size, found)
            }
            Event::SequenceStart(_, anchor, tag) => {
                may_be_typed(tag.as_deref(), span, found);
                self.start(span, anchor, OpenKind::List(Vec::new()), found)
            }
            Event::MappingStart(style, anchor, tag) => {
                may_be_typed(tag.as_deref(), span, found);
                let kind = OpenKind::Map {
                    map: Map::default(),
                    merges: Vec::new(),
                    key: Pending::Key,
                    seen: FxHashMap::default(),
                    in_braces: style == StructureStyle::Flow,
                    placeholder: None,
                };
                self.start(span, anchor, kind, found)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span, found),
            Event::Alias(id) => self.alias(id, span, found),
            Event::UnresolvedAlias(name) => {
                Diagnostic::error(Code::YamlSyntax, format!("unknown anchor `&{name}`"))
                    .at(span, "alias without an anchor")
                    .help("define the anchor before the alias, or quote the text")
                    .add_to(found);
                self.finish(Node::null(span), 0, 1, found)
            }
            Event::DocumentEnd => Progress::End,
            _ => Progress::More,
        }
    }

    fn start(
        &mut self,
        start: Span,
        anchor: usize,
        kind: OpenKind,
        found: &mut Diagnostics,
    ) -> Progress {
        if self.open.len() >= LEVELS {
            too_deep(start).add_to(found);
            return Progress::GiveUp;
        }
        self.open.push(Open {
            start,
            anchor,
            size: 1,
            kind,
        });
        Progress::More
    }

    fn close(&mut self, end: Span, found: &mut Diagnostics) -> Progress {
        let Some(open) = self.open.pop() else {
            return Progress::More;
        };
        let (content, first, last) = match open.kind {
            OpenKind::List(items) => {
                let first = items.first().map(|item| item.span);
                let last = items.last().map(|item| item.span);
                (Content::List(items), first, last)
            }
            OpenKind::Map {
                placeholder: Some(name),
                ..
            } => {
                let text = format!("{{{{{name}}}}}").into();
                (Content::Scalar(Scalar { text, plain: false }), None, None)
            }
            OpenKind::Map {
                mut map, merges, ..
            } => {
                merge(&mut map, merges, found);
                let first = map.entries.first().map(|(key, _)| key.span);
                let last = map.entries.last().map(|(_, value)| value.span);
                (Content::Map(map), first, last)
            }
        };
        // A block collection has no closing mark, so it ends with its last item.
        let bracketed = open.start.end > open.start.start;
        let span = match (bracketed, first, last) {
            (false, Some(first), Some(last)) => first.to(last),
            _ => open.start.to(end),
        };
        self.finish(Node { span, content }, open.anchor, open.size, found)
    }

    fn alias(&mut self, id: usize, span: Span, found: &mut Diagnostics) -> Progress {
        let Some((node, size)) = self.anchors.get(&id) else {
            Diagnostic::error(Code::TooDeep, "alias refers to a value that contains it")
                .at(span, "circular alias")
                .help("replace the alias with a value, or move the anchor")
                .add_to(found);
            return self.finish(Node::null(span), 0, 1, found);
        };
        self.spent += size;
        if self.spent > MAX_ALIASED_VALUES {
            return too_large(span, "aliases", MAX_ALIASED_VALUES, found);
        }
        let node = node.clone();
        let size = *size;
        self.finish(node, 0, size, found)
    }

    /// Adds a finished node to its parent.
    fn finish(
        &mut self,
        node: Node,
        anchor: usize,
        size: usize,
        found: &mut Diagnostics,
    ) -> Progress {
        if anchor != 0 {
            self.kept += size;
            if self.kept > MAX_ANCHORED_VALUES {
                return too_large(node.span, "anchors", MAX_ANCHORED_VALUES, found);
            }
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Progress::More;
        };
        open.size += size;
        match &mut open.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Map {
                map,
                merges,
                key,
                seen,
                in_braces,
                placeholder,
            } => {
                *key = match std::mem::replace(key, Pending::Key) {
                    Pending::Key if *in_braces && typos::is_placeholder(&node, map) => {
                        *placeholder = typos::placeholder(&node, found);
                        Pending::Skip
                    }
                    Pending::Key => next_pending(node, map, seen, found),
                    Pending::Value(name) => {
                        if *in_braces {
                            typos::push(map, name, node, found);
                        } else {
                            map.entries.push((name, node));
                        }
                        Pending::Key
                    }
                    Pending::Merge => {
                        merges.push(node);
                        Pending::Key
                    }
                    Pending::Skip => Pending::Key,
                };
            }
        }
        Progress::More
    }
}

/// Whether a plain scalar can be a number, boolean or null. The tag `!!str` or `!` makes it a string.
fn may_be_typed(tag: Option<&Tag>, span: Span, found: &mut Diagnostics) -> bool {
    let Some(tag) = tag else { return true };
    if tag.is_yaml_core_schema() {
        return !tag.is_yaml_core_schema_tag("str");
    }
    if !tag.suffix().is_empty() {
        Diagnostic::error(
            Code::YamlSyntax,
            format!("unknown tag `{}`", tag.original()),
        )
        .at(span, "tagged value")
        .help("remove the tag")
        .add_to(found);
    }
    false
}

/// Adds the keys of merged maps (`<<`) that the map does not contain.
fn merge(map: &mut Map, merges: Vec<Node>, found: &mut Diagnostics) {
    for value in merges {
        let parts = match value.content {
            Content::List(items) => items,
            _ => vec![value],
        };
        for part in parts {
            let span = part.span;
            let Content::Map(other) = part.content else {
                Diagnostic::error(Code::WrongType, "expected a map or a list of maps for `<<`")
                    .at(span, "")
                    .add_to(found);
                continue;
            };
            for (key, value) in other.entries {
                if map.get(&key.text).is_none() {
                    map.entries.push((key, value));
                }
            }
        }
    }
}

/// Stops parsing a document that exceeds the alias or anchor budget.
fn too_large(span: Span, what: &str, budget: usize, found: &mut Diagnostics) -> Progress {
    Diagnostic::error(
        Code::TooDeep,
        format!("document is too large: {what} add more than {budget} values"),
    )
    .at(span, "limit exceeded")
    .help(format!("nest fewer {what}"))
    .add_to(found);
    Progress::GiveUp
}

/// The role of the node after a key: its value, a merged map, or a node to skip.
fn next_pending(
    key: Node,
    map: &Map,
    seen: &mut FxHashMap<Box<str>, Span>,
    found: &mut Diagnostics,
) -> Pending {
    let span = key.span;
    let Content::Scalar(scalar) = key.content else {
        Diagnostic::error(
            Code::WrongType,
            "expected a name for a key, found a list or a map",
        )
        .at(span, "")
        .help("write a plain name before the colon")
        .add_to(found);
        return Pending::Skip;
    };
    if scalar.plain && &*scalar.text == "<<" {
        return Pending::Merge;
    }
    let text = scalar.text;
    let earlier = if map.entries.len() < SMALL_MAP {
        map.entry(&text).map(|(key, _)| key.span)
    } else {
        if seen.is_empty() {
            seen.extend(
                map.entries
                    .iter()
                    .map(|(key, _)| (key.text.clone(), key.span)),
            );
        }
        let earlier = seen.get(&text).copied();
        seen.entry(text.clone()).or_insert(span);
        earlier
    };
    if let Some(first) = earlier {
        Diagnostic::error(Code::DuplicateKey, format!("key `{text}` is defined twice"))
            .at(span, "duplicate key")
            .at(first, "first definition")
            .help("remove or rename one of the keys")
            .add_to(found);
        return Pending::Skip;
    }
    Pending::Value(Key { text, span })
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TooDeep,
        format!("document is nested too deeply: limit {LEVELS} levels"),
    )
    .at(span, "one level too many")
    .help("reduce the nesting")
}

fn syntax_error(error: &ScanError, file: FileId, text: &str, base: usize) -> Diagnostic {
    let marker = error.marker();
    let at = marker
        .byte_offset()
        .unwrap_or_else(|| {
            text.char_indices()
                .nth(marker.index())
                .map_or(text.len(), |(at, _)| at)
        })
        .min(text.len());
    let line = text.get(..at).map_or("", |before| {
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        let end = text
            .get(start..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |length| start + length);
        text.get(start..end).unwrap_or_default()
    });
    let indent_has_tab = line
        .chars()
        .take_while(|c| c.is_whitespace())
        .any(|c| c == '\t');
    let width = text
        .get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, char::len_utf8);
    let span = Span::new(file, base + at, base + at + width);
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(span);
    }
    let finding =
        Diagnostic::error(Code::YamlSyntax, format!("invalid YAML: {}", error.info())).at(span, "");
    let remedy = typos::remedy(line, text.get(at..).unwrap_or_default());
    if indent_has_tab {
        finding.help("indent with spaces: YAML does not allow tabs")
    } else {
        let otherwise = "check quotation marks, brackets, colons and indentation on this line and the line above";
        finding.help(remedy.unwrap_or(otherwise))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DOCUMENT: &str = "# note
scenario: Цель нет
tags: [a, 'b c', \"d\", -1, ~]
meta: {}   # nothing
start:   # data

  data:
    \"size\": 12
    url: http://x.y/z#top
  list:
  - one two
  - {a: [1, 2], b: 'x, y'}
  -   k: v
      l: [
        m,
        {n: o}
        ]
turns:
  - {intent: price, expect: {state: s1}}
  - intent: it's
    expect: {class: normal}
";

    fn of(text: &str) -> YamlText<'_> {
        let file = SourceMap::default().add("a.yaml", text);
        YamlText {
            file,
            text,
            base: 7,
        }
    }

    fn assert_same(text: &str) -> bool {
        let Some(node) = SimpleYaml::read(of(text), ("", usize::MAX)) else {
            return false;
        };
        let mut found = Diagnostics::default();
        let complete = YamlReader::new(of(text)).read(&mut found, |_| {});
        assert!(found.is_empty(), "{text}");
        assert_eq!(
            format!("{:?}", Some(node)),
            format!("{complete:?}"),
            "{text}"
        );
        true
    }

    #[test]
    fn usual_forms_are_read_as_by_the_complete_parser() {
        assert!(assert_same(DOCUMENT));
        for text in [
            " {a: 1, b: [x]} # end\n",
            "[]",
            "- a\n-  b: c\n   d: e\n- f",
            "a: b",
        ] {
            assert!(assert_same(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_edited_document_is_read_as_by_the_complete_parser(
            edits in proptest::collection::vec((0..DOCUMENT.len(), 0..3_usize, "[-a \n:#,{}\\[\\]'\"?&*!|>%~.é]{0,2}"), 0..4),
        ) {
            let mut text = DOCUMENT.to_owned();
            for (at, length, with) in edits {
                let at = text.floor_char_boundary(at.min(text.len()));
                let end = text.floor_char_boundary((at + length).min(text.len()));
                text.replace_range(at..end, &with);
            }
            assert_same(&text);
        }
    }
}
