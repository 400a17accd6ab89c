//! A file in which expectations are replaced.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use crate::scenario::{
    Matcher, MatcherMode, is_markdown, is_operation, is_trace, parse_transcript,
};
use crate::snapshot::FlowStyle;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, Place, SourceMap};
use fsmsim_syntax::document::{
    Content, Node, PLACEHOLDER_OPEN, documents, each_placeholder, lone_placeholder, parse_yaml,
    placeholders,
};
use fsmsim_syntax::files::{real_path, write_whole};

/// A result, or why an expectation cannot be replaced.
pub(super) type Editing<T> = Result<T, &'static str>;

const NOT_WRITABLE: &str = "the new value cannot be written at this location";
const PARAMETER: &str = "the value is a parameter that is not set in exactly one place";

/// A file in which expectations are replaced. Everything else in it stays unchanged, including comments.
#[derive(Debug)]
pub(super) struct EditedFile {
    path: String,
    /// Contains only this file.
    source: SourceMap,
    id: FileId,
    /// The text of the file when the scenarios were run.
    text: Arc<str>,
    documents: Vec<Node>,
    /// The edits, by the offset at which they start.
    pub edits: BTreeMap<u32, ExpectationEdit>,
    /// The text with the edits that are already written.
    written: Arc<str>,
}

/// The replacement of an expected value.
#[derive(Clone, Debug)]
pub struct ExpectationEdit {
    /// The failures that the edit repairs: the ID of the scenario and the location of the expectation.
    pub checks: Vec<(String, Place)>,
    /// The text to replace.
    pub old: String,
    pub new: String,
    pub(super) start: u32,
    end: u32,
    value: Value,
    /// The offset in the new text at which its value is parsed.
    value_at: usize,
    /// Whether expectations that did not fail might use the value, too.
    pub(super) is_shared: bool,
    /// The number of expectations that use the value, if it is a parameter.
    pub(super) uses: Option<usize>,
    /// Whether failures require different values.
    is_contradicted: bool,
    pub(super) is_accepted: bool,
}

/// The places that set the parameters of an expectation.
pub(super) struct ParameterSettings<'s> {
    /// The document that contains the expectation.
    document: &'s Node,
    given: Option<(&'s EditedFile, &'s Node)>,
}

/// An edit, and the path of its file.
pub(super) type PlacedEdit = (String, ExpectationEdit);

impl EditedFile {
    pub(super) fn new(path: &str, text: &Arc<str>) -> Self {
        let mut source = SourceMap::default();
        let id = source.add(path, Arc::clone(text));
        Self {
            path: path.to_owned(),
            documents: trees(id, path, text),
            source,
            id,
            text: Arc::clone(text),
            edits: BTreeMap::new(),
            written: Arc::clone(text),
        }
    }

    /// The edits that make the expectation at a range of bytes match. `given` contains the file and the location that
    /// set its parameters.
    pub(super) fn edits_at(
        &self,
        range: (u32, u32),
        actual: &Value,
        given: Option<(&Self, &Place)>,
    ) -> Editing<Vec<PlacedEdit>> {
        let (document, node, _) = self.value_at(range).ok_or(NOT_WRITABLE)?;
        let given = given.and_then(|(file, place)| Some((file, file.settings_at(place)?)));
        let mut edits = Vec::new();
        self.add_edits(
            node,
            actual,
            &ParameterSettings { document, given },
            &mut edits,
        )?;
        if edits.is_empty() {
            return Err(NOT_WRITABLE);
        }
        Ok(edits)
    }

    /// The value at a range of bytes with its document, and whether aliases repeat it.
    fn value_at(&self, range: (u32, u32)) -> Option<(&Node, &Node, bool)> {
        let mut found = Vec::new();
        for document in &self.documents {
            each_at(document, range, &mut |node| found.push((document, node)));
        }
        let (document, node) = *found.first()?;
        Some((document, node, found.len() > 1))
    }

    /// The values of the parameters that a case, or the `use` key of a turn, at this location sets.
    fn settings_at(&self, place: &Place) -> Option<&Node> {
        let is_there = |node: &Node| self.source.place(node.span) == *place;
        self.documents.iter().find_map(|document| {
            let cases = document.get("cases").and_then(Node::list);
            let turns = document.get("turns").and_then(Node::list);
            let mut cases = cases.unwrap_or_default().iter();
            let mut turns = turns.unwrap_or_default().iter();
            cases.find(|case| is_there(case)).or_else(|| {
                let using = turns.find(|turn| turn.get("use").is_some_and(is_there));
                using?.get("with")
            })
        })
    }

    /// Adds edits for the parts of an expectation that do not match. Replaces only the keys of a map that are compared:
    /// `data: {plan: basic}` becomes `data: {plan: premium}`, regardless of other data.
    fn add_edits(
        &self,
        node: &Node,
        actual: &Value,
        settings: &ParameterSettings<'_>,
        edits: &mut Vec<PlacedEdit>,
    ) -> Editing<()> {
        if let Content::Scalar(scalar) = &node.content
            && placeholders(&scalar.text).next().is_some()
        {
            let name = lone_placeholder(&scalar.text).ok_or(PARAMETER)?;
            edits.extend(settings.edit(name, actual)?);
            return Ok(());
        }
        if is_met(node, actual) {
            return Ok(());
        }
        match (&node.content, actual) {
            (Content::Map(map), Value::Map(_)) if !is_operation(map) => {
                for (key, value) in &map.entries {
                    if placeholders(&key.text).next().is_some() {
                        return Err(PARAMETER);
                    }
                    let actual = actual.get(&key.text).unwrap_or(&Value::Null);
                    self.add_edits(value, actual, settings, edits)?;
                }
            }
            (Content::List(items), Value::List(values)) if items.len() == values.len() => {
                for (item, value) in items.iter().zip(values.iter()) {
                    self.add_edits(item, value, settings, edits)?;
                }
            }
            _ => {
                let mut parameters = 0;
                each_placeholder(node, &mut |_, _| parameters += 1);
                if parameters > 0 {
                    return Err(PARAMETER);
                }
                edits.push((self.path.clone(), self.edit(node, actual)?));
            }
        }
        Ok(())
    }

    /// The replacement of a value.
    fn edit(&self, node: &Node, actual: &Value) -> Editing<ExpectationEdit> {
        let (from, to) = (node.span.start as usize, node.span.end as usize);
        let range = (node.span.start, node.span.end);
        // A missing value has no location to replace.
        let (_, _, is_shared) = self
            .value_at(range)
            .filter(|_| from < to)
            .ok_or(NOT_WRITABLE)?;
        let value = if node.get("exactly").is_some() || has_empty_map(actual) {
            Value::map([("exactly", actual.clone())])
        } else {
            actual.clone()
        };
        let before = self.text.get(..from).unwrap_or_default();
        let rest = self.text.get(from..).unwrap_or_default();
        let replaced = match &node.content {
            Content::List(_) if !rest.starts_with('[') => block_list(before, &value),
            Content::Scalar(scalar) if !scalar.plain && !rest.starts_with(['"', '\'']) => {
                let block = block_text(before, &scalar.text, value.as_text());
                Some(block.unwrap_or((from, None)))
            }
            _ => Some((from, None)),
        };
        let (start, block) = replaced.ok_or(NOT_WRITABLE)?;
        let value_at = block.as_ref().map_or(0, |_| from - start);
        let new = block.unwrap_or_else(|| FlowStyle(&value).to_string());
        if new.contains(PLACEHOLDER_OPEN) {
            return Err(NOT_WRITABLE);
        }
        // The line ends of the file are kept.
        let new = if self.text.contains("\r\n") {
            new.replace('\n', "\r\n")
        } else {
            new
        };
        // The span of a block of text includes the line break after it.
        let old = self.text.get(start..to).unwrap_or_default().trim_end();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(ExpectationEdit {
            checks: Vec::new(),
            old: old.to_owned(),
            // A comment of Markdown ends at the first `-->`.
            new: if is_markdown(Path::new(&self.path)) {
                new.replace("-->", "--\\u003e")
            } else {
                new
            },
            start: offset(start),
            end: offset(start + old.len()),
            value,
            value_at,
            is_shared,
            uses: None,
            is_contradicted: false,
            is_accepted: false,
        })
    }

    /// Adds an edit for a failure.
    pub(super) fn add(&mut self, edit: &ExpectationEdit, id: &str, place: &Place) {
        let known = self.edits.entry(edit.start);
        let known = known.or_insert_with(|| edit.clone());
        known.is_contradicted |= known.value != edit.value || known.end != edit.end;
        known.is_shared |= edit.is_shared;
        known.checks.push((id.to_owned(), place.clone()));
    }

    /// The edits that contradict or overlap others, and those of parameters that other expectations use, too.
    pub(super) fn contradicted(&self) -> Vec<u32> {
        let mut doomed = Vec::new();
        let mut last: Option<&ExpectationEdit> = None;
        for edit in self.edits.values() {
            if edit.is_contradicted || edit.uses.is_some_and(|uses| uses != edit.checks.len()) {
                doomed.push(edit.start);
            }
            if let Some(last) = last.filter(|last| edit.start < last.end) {
                doomed.extend([last.start, edit.start]);
            }
            last = Some(edit);
        }
        doomed
    }

    /// The text with some of the edits, and the edits by the offsets at which their values are parsed.
    pub(super) fn edited(
        &self,
        is_wanted: impl Fn(&ExpectationEdit) -> bool,
    ) -> (String, BTreeMap<u32, &ExpectationEdit>) {
        let mut text = String::new();
        let mut values = BTreeMap::new();
        let mut at = 0;
        for edit in self.edits.values().filter(|edit| is_wanted(edit)) {
            let before = self.text.get(at..edit.start as usize);
            text.push_str(before.unwrap_or_default());
            let begin = u32::try_from(text.len() + edit.value_at).unwrap_or(u32::MAX);
            values.insert(begin, edit);
            text.push_str(&edit.new);
            at = edit.end as usize;
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        (text, values)
    }

    /// Writes the accepted edits. Fails if the file was edited after the run.
    pub(super) fn write(&mut self) -> io::Result<()> {
        let (text, mut unread) = self.edited(|edit| edit.is_accepted);
        // Parsing the new text must yield the actual values. It might not, because parts of a transcript cannot contain
        // YAML.
        for tree in trees(self.id, &self.path, &text) {
            each_node(&tree, &mut |node| {
                let at = &node.span.start;
                let edit = unread.get(at);
                if edit.is_some_and(|edit| edit.value == Value::from(node)) {
                    unread.remove(at);
                }
            });
        }
        let refused = |why: &str| Err(io::Error::new(ErrorKind::InvalidData, why));
        if !unread.is_empty() {
            return refused(NOT_WRITABLE);
        }
        // A symbolic link stays a link: its target file is replaced.
        let path = &real_path(Path::new(&self.path));
        let before = std::fs::read_to_string(path)?;
        match before.strip_suffix(&*self.written) {
            Some(mark @ ("" | "\u{feff}")) => write_whole(path, &format!("{mark}{text}"))?,
            _ => return refused("the file was edited after the run"),
        }
        self.written = text.into();
        Ok(())
    }
}

impl ParameterSettings<'_> {
    /// The edit that sets a parameter to a value, if it is not set to it already.
    fn edit(&self, name: &str, actual: &Value) -> Editing<Option<PlacedEdit>> {
        let (file, given) = self.given.ok_or(PARAMETER)?;
        let value = given.get(name).ok_or(PARAMETER)?;
        if is_met(value, actual) {
            return Ok(None);
        }
        let edit = file.edit(value, actual)?;
        if edit.is_shared {
            return Err(PARAMETER);
        }
        let mut uses = 0;
        each_placeholder(self.document, &mut |other, _| {
            uses += usize::from(other == name);
        });
        let edit = ExpectationEdit {
            uses: Some(uses),
            ..edit
        };
        Ok(Some((file.path.clone(), edit)))
    }
}

/// The documents of a scenario file. A trace has none, because its records are its expectations.
fn trees(id: FileId, path: &str, text: &str) -> Vec<Node> {
    let found = &mut Diagnostics::default();
    let path = Path::new(path);
    if is_trace(path, text) {
        return Vec::new();
    }
    if is_markdown(path) {
        return Vec::from_iter(parse_transcript(id, path, text, found));
    }
    documents(text)
        .into_iter()
        .filter_map(|range| parse_yaml(id, text.get(range.clone())?, range.start, found))
        .collect()
}

fn children(node: &Node) -> impl Iterator<Item = &Node> {
    let items = node.list().unwrap_or_default().iter();
    items.chain(node.entries().iter().map(|(_, value)| value))
}

fn each_node(node: &Node, act: &mut dyn FnMut(&Node)) {
    act(node);
    children(node).for_each(|child| each_node(child, act));
}

/// Calls `act` with the outermost nodes at a range of bytes. A list can have the same range as its only item.
fn each_at<'n>(node: &'n Node, range: (u32, u32), act: &mut dyn FnMut(&'n Node)) {
    if (node.span.start, node.span.end) == range {
        act(node);
    } else {
        children(node).for_each(|child| each_at(child, range, act));
    }
}

fn is_met(node: &Node, actual: &Value) -> bool {
    Matcher::read(node, MatcherMode::default(), &mut Diagnostics::default())
        .is_some_and(|matcher| matcher.matches(actual))
}

/// The start of a list of the form `- item` whose first item starts after `before`, and its new text. `None` if the
/// dash is not found. Without a text, the list is written in brackets.
fn block_list(before: &str, value: &Value) -> Option<(usize, Option<String>)> {
    let head = block_header(before).and_then(|at| before.get(..at));
    let start = head.unwrap_or(before).trim_end().strip_suffix('-')?.len();
    let line = line_start(before.get(..start)?);
    let indent = " ".repeat(before.get(line..start)?.chars().count());
    let items: Vec<String> = value
        .items()
        .map(|item| format!("- {}", FlowStyle(item)))
        .collect();
    // The new list must be parsed at the same offset as the old one.
    let is_usual = before.get(start..) == Some("- ") && !items.is_empty();
    let separator = format!("\n{indent}");
    Some((start, is_usual.then(|| items.join(&separator))))
}

/// The offset after the last line break.
fn line_start(text: &str) -> usize {
    text.rfind('\n').map_or(0, |at| at + 1)
}

/// The offset of the header (`|` or `>`) of a text in block style whose content starts after `before`.
fn block_header(before: &str) -> Option<usize> {
    let head = before.trim_end();
    let line = line_start(head);
    let head = head.get(line..)?.split(" #").next()?;
    let is_modifier = |c: char| matches!(c, '+' | '-' | ' ' | '0'..='9');
    let head = head.trim_end_matches(is_modifier);
    let has_content = before.trim_end_matches(' ').ends_with('\n');
    Some(head.strip_suffix(['|', '>'])?.len() + line).filter(|_| has_content)
}

/// The start of a text in block style whose content starts after `before`, and its new content. Without a content, the
/// text is written in quotation marks, instead of its header.
fn block_text(before: &str, old: &str, new: Option<&str>) -> Option<(usize, Option<String>)> {
    let header = block_header(before)?;
    let indent = before.get(line_start(before)..)?;
    let is_literal = |new: &&str| {
        before
            .get(header..)
            .is_some_and(|rest| rest.starts_with('|'))
            && old.ends_with('\n') == new.ends_with('\n')
            && !new.ends_with("\n\n")
            && !new.starts_with(char::is_whitespace)
            && !new.is_empty()
            && !new.contains(|c: char| c.is_control() && c != '\n')
    };
    let Some(new) = new.filter(is_literal) else {
        return Some((header, None));
    };
    let indented = new
        .trim_end_matches('\n')
        .replace('\n', &format!("\n{indent}"));
    // Empty lines have no indentation.
    let content = indented.replace(&format!("\n{indent}\n"), "\n\n");
    Some((before.len(), Some(content)))
}

/// Whether a value contains a map that `{}` would not expect, because `{}` alone expects nothing.
fn has_empty_map(value: &Value) -> bool {
    match value {
        Value::Map(pairs) => {
            pairs.is_empty() || pairs.iter().any(|(_, value)| has_empty_map(value))
        }
        value => value.items().any(has_empty_map),
    }
}
