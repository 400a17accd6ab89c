//! A file in which expectations are replaced.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
use fsmsim_syntax::terminal::Joined;

/// A result, or why an expectation cannot be replaced.
pub(super) type Editing<T> = Result<T, &'static str>;

const NOT_WRITABLE: &str = "the new value cannot be written at this location";
const RECORDED: &str = "the expectations of a trace are its records";
const NO_VALUE: &str = "the file has no value to replace";
const COMMENT: &str = "a comment in the replaced lines would be lost";
const CONTRADICTED: &str = "another turn, case or scenario requires a different value";
const PART: &str = "a parameter is only a part of the value";
const ELSEWHERE: &str = "the parameter is also used elsewhere";
const NOT_ONLY_EXPECTED: &str = "the value is also used elsewhere, for example as an input";
const UNSET: &str =
    "the parameter comes from a table, a combination, a default or nested shared turns";

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

/// A part of a file, and the text that replaces it.
type NewText = (Range<usize>, String);

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
        let unknown = if self.documents.is_empty() {
            RECORDED
        } else {
            NOT_WRITABLE
        };
        let (document, node, _) = self.value_at(range).ok_or(unknown)?;
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
            let name = lone_placeholder(&scalar.text).ok_or(PART)?;
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
                        return Err(PART);
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
                    return Err(PART);
                }
                edits.push((self.path.clone(), self.edit(node, actual)?));
            }
        }
        Ok(())
    }

    /// The replacement of a value.
    fn edit(&self, node: &Node, actual: &Value) -> Editing<ExpectationEdit> {
        let range = (node.span.start, node.span.end);
        // A missing value has no location to replace.
        let (_, _, is_shared) = self
            .value_at(range)
            .filter(|_| range.0 < range.1)
            .ok_or(NO_VALUE)?;
        let value = if node.get("exactly").is_some() || has_empty_map(actual) {
            Value::map([("exactly", actual.clone())])
        } else {
            actual.clone()
        };
        let (range, mut new) = self.new_text(node, &value)?;
        if new.contains(PLACEHOLDER_OPEN) {
            return Err(NOT_WRITABLE);
        }
        // The line ends of the file are kept.
        if self.text.contains("\r\n") {
            new = new.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        // A comment of Markdown ends at the first `-->`.
        if is_markdown(Path::new(&self.path)) {
            new = new.replace("-->", "--\\u003e");
        }
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(ExpectationEdit {
            checks: Vec::new(),
            start: offset(range.start),
            end: offset(range.end),
            old: self.text.get(range).unwrap_or_default().to_owned(),
            new,
            value,
            is_shared,
            uses: None,
            is_contradicted: false,
            is_accepted: false,
        })
    }

    /// The text that replaces a value, in the style of the old one if possible, otherwise in one line.
    fn new_text(&self, node: &Node, value: &Value) -> Editing<NewText> {
        let from = node.span.start as usize;
        let (before, rest) = self.text.split_at_checked(from).ok_or(NOT_WRITABLE)?;
        let start = match &node.content {
            Content::List(items) if !rest.starts_with('[') => {
                let head = block_header(before).and_then(|at| before.get(..at));
                let head = head.unwrap_or(before).trim_end();
                let start = head.strip_suffix('-').ok_or(NOT_WRITABLE)?.len();
                if value.items().next().is_some() {
                    return self.block_list(node, items, start, value);
                }
                start
            }
            Content::Scalar(scalar) if !scalar.plain && !rest.starts_with(['"', '\'']) => {
                if let Some(new) = self.block_text(node, &scalar.text, value) {
                    return Ok(new);
                }
                from
            }
            _ => from,
        };
        // The span of a block includes the line break after it.
        let range = start..self.trimmed(node);
        if self.has_comment(node, &range) {
            return Err(COMMENT);
        }
        Ok((range, self.in_one_line(from, value)))
    }

    /// A value in one line. If the first replaced scalar or the key before it is in quotation marks, the new scalars are,
    /// too. So JSON remains JSON.
    fn in_one_line(&self, from: usize, value: &Value) -> String {
        let (before, old) = self.text.split_at_checked(from).unwrap_or_default();
        let begins = |c: char| c.is_whitespace() || matches!(c, '[' | '{' | '-');
        let old = old.trim_start_matches(begins);
        if old.starts_with('"') || before.trim_end().ends_with("\":") {
            return format!("{:#}", FlowStyle(value));
        }
        match value.as_text() {
            Some(text) if old.starts_with('\'') && !text.contains(char::is_control) => {
                format!("'{}'", text.replace('\'', "''"))
            }
            _ => FlowStyle(value).to_string(),
        }
    }

    /// The end of a node without spaces and line breaks.
    fn trimmed(&self, node: &Node) -> usize {
        let before = self.text.get(..node.span.end as usize);
        before.unwrap_or_default().trim_end().len()
    }

    /// Whether a part of the file contains a comment. Between the scalars of a value, `#` starts a comment.
    fn has_comment(&self, node: &Node, part: &Range<usize>) -> bool {
        let mut scalars = Vec::new();
        each_node(node, &mut |node| {
            scalars.extend(node.entries().iter().map(|(key, _)| key.span));
            scalars.extend(matches!(node.content, Content::Scalar(_)).then_some(node.span));
        });
        scalars.sort_by_key(|span| span.start);
        let has_hash = |gap: Range<usize>| self.text.get(gap).is_some_and(|gap| gap.contains('#'));
        let mut at = part.start;
        for span in scalars {
            let begin = span.start as usize;
            if (at..part.end).contains(&begin) {
                if has_hash(at..begin) {
                    return true;
                }
                at = span.end as usize;
            }
        }
        has_hash(at..part.end)
    }

    /// The new text of a list of the form `- item`. The lines of equal items at its start stay, with their comments.
    fn block_list(
        &self,
        node: &Node,
        items: &[Node],
        start: usize,
        value: &Value,
    ) -> Editing<NewText> {
        let pairs = items.iter().zip(value.items());
        let equal = pairs.take_while(|(item, value)| Value::from(*item) == **value);
        let (count, kept) = equal.fold((0, start), |(count, _), (item, _)| {
            let end = self.trimmed(item);
            let line = self.text.get(end..).and_then(|rest| rest.lines().next());
            // A comment of Markdown can end in this line.
            let line = line.and_then(|line| line.split("-->").next());
            (count + 1, end + line.unwrap_or_default().trim_end().len())
        });
        let end = self.trimmed(node).max(kept);
        if self.has_comment(node, &(kept..end)) {
            return Err(COMMENT);
        }
        let text = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let before = text(0..start);
        let indent = text(line_start(before)..start).chars().count();
        let same = Some(text(start..kept).to_owned()).filter(|lines| !lines.is_empty());
        let new = value.items().skip(count);
        let from = node.span.start as usize;
        let new = new.map(|item| format!("- {}", self.in_one_line(from, item)));
        let items = same.into_iter().chain(new);
        let new = items.joined(&format!("\n{}", " ".repeat(indent)));
        Ok((start..end, new))
    }

    /// The new text of a scalar in block style: in the same style, if the style can contain it, or else in quotation
    /// marks. A comment after the header stays. `None` if the scalar is not in block style.
    fn block_text(&self, node: &Node, old: &str, value: &Value) -> Option<NewText> {
        let from = node.span.start as usize;
        let (before, rest) = self.text.split_at_checked(from)?;
        let header = block_header(before)?;
        let indent = before.get(line_start(before)..)?;
        let head = before.get(header..)?;
        let modifiers = head.get(1..)?;
        let is_modifier = |c: char| matches!(c, '+' | '-' | '0'..='9');
        let after = modifiers.trim_start_matches(is_modifier);
        // The span includes the line break and the indentation of the next line, but spaces after the text belong to it.
        let mut content = rest.get(..node.span.end as usize - from)?;
        while let Some((text, line)) = content.rsplit_once('\n') {
            if !line.trim().is_empty() {
                break;
            }
            content = text;
        }
        let end = from + content.trim_end_matches('\r').len();
        let breaks = |text: &str| text.len() - text.trim_end_matches('\n').len();
        let is_literal = |new: &&str| {
            head.starts_with('|')
                && (breaks(old) == breaks(new) || breaks(new) < 2)
                && !new.starts_with(char::is_whitespace)
                && !new.is_empty()
                && !new.contains(|c: char| c.is_control() && c != '\n')
                && !new.contains("-->")
        };
        let Some(new) = value.as_text().filter(is_literal) else {
            let text = format!("{} {}", FlowStyle(value), after.trim());
            return Some((header..end, text.trim_end().to_owned()));
        };
        let head = if breaks(old) == breaks(new) {
            head.to_owned()
        } else {
            let digits = modifiers.strip_suffix(after)?.trim_matches(['+', '-']);
            let chomping = if breaks(new) == 0 { "-" } else { "" };
            format!("|{digits}{chomping}{after}")
        };
        // Empty lines have no indentation.
        let lines = new.trim_end_matches('\n').split('\n');
        let lines = lines.map(|line| match line {
            "" => String::new(),
            line => format!("{indent}{line}"),
        });
        Some((header..end, head + lines.joined("\n").trim_start()))
    }

    /// Adds an edit for a failure.
    pub(super) fn add(&mut self, edit: &ExpectationEdit, id: &str, place: &Place) {
        let known = self.edits.entry(edit.start);
        let known = known.or_insert_with(|| edit.clone());
        known.is_contradicted |= known.value != edit.value || known.end != edit.end;
        known.is_shared |= edit.is_shared;
        known.checks.push((id.to_owned(), place.clone()));
    }

    /// The edits that contradict or overlap others, and those of parameters that other expectations use, too, each with
    /// the reason.
    pub(super) fn contradicted(&self) -> Vec<(u32, Cow<'static, str>)> {
        let mut doomed: Vec<(u32, Cow<'static, str>)> = Vec::new();
        let mut last: Option<&ExpectationEdit> = None;
        for edit in self.edits.values() {
            if edit.is_contradicted {
                doomed.push((edit.start, CONTRADICTED.into()));
            } else if edit.uses.is_some_and(|uses| uses != edit.checks.len()) {
                doomed.push((edit.start, ELSEWHERE.into()));
            }
            if let Some(last) = last.filter(|last| edit.start < last.end) {
                doomed.extend([last.start, edit.start].map(|start| (start, CONTRADICTED.into())));
            }
            last = Some(edit);
        }
        doomed
    }

    /// The edits that would not yield their value, each with the reason.
    pub(super) fn unwritable(&self) -> Vec<(u32, Cow<'static, str>)> {
        if self.check(|_| true).is_ok() {
            return Vec::new();
        }
        // One edit can make a whole document unreadable.
        let doomed = self.edits.keys().filter_map(|start| {
            let why = self.check(|edit| edit.start == *start).err()?;
            Some((*start, why.into()))
        });
        doomed.collect()
    }

    /// Checks that some of the edits change only their expectations. They might not, because parts of a transcript
    /// cannot contain YAML, and because an alias might refer to a replaced anchor or value.
    fn check(&self, is_wanted: impl Fn(&ExpectationEdit) -> bool) -> Editing<()> {
        let new = trees(self.id, &self.path, &self.edited(&is_wanted).0);
        if new.len() != self.documents.len() {
            return Err(NOT_WRITABLE);
        }
        let mut pairs = self.documents.iter().zip(&new);
        pairs.try_for_each(|(old, new)| self.compare(old, new, &[], &is_wanted))
    }

    /// Checks that two values differ only in expectations and parameters that are edited. `keys` leads to the values.
    /// An alias repeats the location of its anchor, so an edited value can also be an input, a name, or an expectation
    /// for every turn.
    fn compare(
        &self,
        old: &Node,
        new: &Node,
        keys: &[&str],
        is_wanted: &impl Fn(&ExpectationEdit) -> bool,
    ) -> Editing<()> {
        let start = old.span.start;
        let edit = self.edits.range(..=start).next_back();
        let edit = edit.filter(|(_, edit)| start < edit.end && is_wanted(edit));
        if let Some((_, edit)) = edit.filter(|(_, edit)| edit.value == Value::from(new)) {
            let is_expectation = matches!(keys, ["end", ..] | ["turns", "expect", ..]);
            let is_right = is_expectation || edit.uses.is_some();
            return is_right.then_some(()).ok_or(NOT_ONLY_EXPECTED);
        }
        match (&old.content, &new.content) {
            (Content::List(old), Content::List(new)) if old.len() == new.len() => {
                let mut pairs = old.iter().zip(new);
                pairs.try_for_each(|(old, new)| self.compare(old, new, keys, is_wanted))
            }
            (Content::Map(old), Content::Map(new)) if old.keys().eq(new.keys()) => {
                let mut pairs = old.entries.iter().zip(&new.entries);
                pairs.try_for_each(|((key, old), (_, new))| {
                    self.compare(old, new, &[keys, &[&*key.text]].concat(), is_wanted)
                })
            }
            _ if edit.is_none() && Value::from(old) == Value::from(new) => Ok(()),
            _ => Err(NOT_WRITABLE),
        }
    }

    /// The text with some of the edits, and their ranges in it.
    pub(super) fn edited(
        &self,
        is_wanted: impl Fn(&ExpectationEdit) -> bool,
    ) -> (String, Vec<(Range<usize>, &ExpectationEdit)>) {
        let mut text = String::new();
        let mut edits = Vec::new();
        let mut at = 0;
        for edit in self.edits.values().filter(|edit| is_wanted(edit)) {
            let before = self.text.get(at..edit.start as usize);
            text.push_str(before.unwrap_or_default());
            let begin = text.len();
            text.push_str(&edit.new);
            edits.push((begin..text.len(), edit));
            at = edit.end as usize;
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        (text, edits)
    }

    /// The edits that a later version of the text contains, by this or another process. `None` if anything else in it
    /// differs.
    fn edits_in(&self, version: &str) -> Option<BTreeSet<u32>> {
        let mut done = BTreeSet::new();
        let mut rest = version;
        let mut at = 0;
        for edit in self.edits.values() {
            rest = rest.strip_prefix(self.text.get(at..edit.start as usize)?)?;
            at = edit.end as usize;
            let [is_old, is_new] = [&edit.old, &edit.new].map(|text| rest.starts_with(&**text));
            // One of the texts can be the beginning of the other one.
            let is_done = is_new && (!is_old || edit.new.len() > edit.old.len());
            rest = rest.strip_prefix(if is_done { &*edit.new } else { &*edit.old })?;
            done.extend(is_done.then_some(edit.start));
        }
        (rest == self.text.get(at..)?).then_some(done)
    }

    /// Writes the accepted edits, unless another process has already written them.
    ///
    /// # Errors
    /// Returns the reason if the file cannot be written, or was edited after the run.
    pub(super) fn write(&self) -> Result<(), Cow<'static, str>> {
        self.check(|edit| edit.is_accepted)?;
        // A symbolic link stays a link: its target file is replaced.
        let path = &real_path(Path::new(&self.path));
        let before = std::fs::read_to_string(path);
        let before = before.map_err(|error| format!("cannot read the file: {error}"))?;
        let version = before.strip_prefix('\u{feff}').unwrap_or(&before);
        let done = self.edits_in(version);
        let done = done.ok_or("the file was edited after the run")?;
        let (text, _) = self.edited(|edit| edit.is_accepted || done.contains(&edit.start));
        if text != version {
            let mark = before.strip_suffix(version).unwrap_or_default();
            write_whole(path, &format!("{mark}{text}"))
                .map_err(|error| format!("cannot write the file: {error}"))?;
        }
        Ok(())
    }
}

impl ParameterSettings<'_> {
    /// The edit that sets a parameter to a value, if it is not set to it already.
    fn edit(&self, name: &str, actual: &Value) -> Editing<Option<PlacedEdit>> {
        let (file, given) = self.given.ok_or(UNSET)?;
        let value = given.get(name).ok_or(UNSET)?;
        if is_met(value, actual) {
            return Ok(None);
        }
        let edit = file.edit(value, actual)?;
        if edit.is_shared {
            return Err(ELSEWHERE);
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

/// The valid documents of a scenario file. A trace has none, because its records are its expectations.
fn trees(id: FileId, path: &str, text: &str) -> Vec<Node> {
    let valid = |parse: &dyn Fn(&mut Diagnostics) -> Option<Node>| {
        let mut found = Diagnostics::default();
        parse(&mut found).filter(|_| !found.has_errors())
    };
    let path = Path::new(path);
    if is_trace(path, text) {
        return Vec::new();
    }
    if is_markdown(path) {
        return Vec::from_iter(valid(&|found: &mut Diagnostics| {
            parse_transcript(id, path, text, found)
        }));
    }
    let document = |range: Range<usize>| {
        let document = text.get(range.clone())?;
        valid(&|found: &mut Diagnostics| parse_yaml(id, document, range.start, found))
    };
    documents(text).into_iter().filter_map(document).collect()
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

/// Whether a value contains a map that `{}` would not expect, because `{}` alone expects nothing.
fn has_empty_map(value: &Value) -> bool {
    match value {
        Value::Map(pairs) => {
            pairs.is_empty() || pairs.iter().any(|(_, value)| has_empty_map(value))
        }
        value => value.items().any(has_empty_map),
    }
}
