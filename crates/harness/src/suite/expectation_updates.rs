//! Rewrites failed expectations in their files.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::suite_observer::{SuiteObserver, SuitePart};
use crate::scenario::{
    ExpectationFailure, FailureCause, Matcher, MatcherMode, ScenarioEnd, ScenarioResult,
    is_markdown, is_operation, is_trace, parse_transcript,
};
use crate::snapshot::FlowStyle;
use fsmsim_core::machine::Value;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, FileId, Place, SourceMap};
use fsmsim_syntax::document::{Content, Node, documents, parse_yaml};
use fsmsim_syntax::files::{real_path, write_whole};

/// Collects the expectations that fail in a run, in order to replace each with the actual value. Leaves everything else
/// in the files unchanged, including comments.
#[derive(Debug, Default)]
pub struct ExpectationUpdates {
    files: BTreeMap<PathBuf, FileUpdate>,
    /// The failed expectations that cannot be replaced. They were checked by a judge, or apply to every turn, or belong
    /// to shared turns or to a scenario with cases.
    pub left: Vec<Place>,
}

/// The expectations to replace in a file.
#[derive(Debug)]
struct FileUpdate {
    id: FileId,
    /// The text of the file when the scenarios were run.
    text: Arc<str>,
    /// The actual values and the locations of the expectations, by byte range.
    replacements: BTreeMap<(u32, u32), (Value, Place)>,
}

impl SuiteObserver for ExpectationUpdates {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            if let ScenarioEnd::Played(outcome) = &scenario.result.end {
                for failure in &outcome.failures {
                    self.add(failure, &scenario.result, &part.sources);
                }
            }
        }
    }
}

impl ExpectationUpdates {
    fn add(&mut self, failure: &ExpectationFailure, result: &ScenarioResult, sources: &SourceMap) {
        let is_own = result.case.is_none()
            && failure.used_at.is_empty()
            && failure.standing.is_none()
            && failure.cause == FailureCause::Flow;
        let wanted = failure.replacement.as_ref().filter(|_| is_own);
        let Some(((span, value), source)) =
            wanted.and_then(|wanted| Some((wanted, sources.file(wanted.0.file)?)))
        else {
            self.left.push(failure.place.clone());
            return;
        };
        let file = self.files.entry(source.path().into());
        let file = file.or_insert_with(|| FileUpdate {
            id: span.file,
            text: Arc::clone(source.text()),
            replacements: BTreeMap::new(),
        });
        let replacement = (value.clone(), failure.place.clone());
        file.replacements
            .insert((span.start, span.end), replacement);
    }

    /// Writes the files. Returns the number of replaced expectations in each file; `left` contains those that were not
    /// replaced.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, or was edited after the run. The files before it are already
    /// written.
    pub fn write(&mut self) -> Checked<Vec<(PathBuf, usize)>> {
        let mut written = Vec::new();
        for (path, mut file) in std::mem::take(&mut self.files) {
            let replaced = file.write(&path).map_err(|error| {
                let path = path.display().to_string();
                Box::new(
                    Diagnostic::error(
                        Code::CannotWrite,
                        format!("cannot update the expectations in `{path}`: {error}"),
                    )
                    .about(path)
                    .help("edit the file manually, or run the scenarios again"),
                )
            })?;
            let left = file.replacements.into_values().map(|(_, place)| place);
            self.left.extend(left);
            if replaced > 0 {
                written.push((path, replaced));
            }
        }
        Ok(written)
    }
}

impl FileUpdate {
    /// Writes the file. Keeps the replacements that it could not make, and returns the number of those that it made.
    fn write(&mut self, path: &Path) -> io::Result<usize> {
        let all = self.replacements.len();
        let mut edits = BTreeMap::new();
        for tree in trees(self.id, path, &self.text) {
            self.take_edits(&tree, &mut edits);
        }
        let replaced = all - self.replacements.len();
        if replaced == 0 {
            return Ok(0);
        }
        let edited = edited(&self.text, &edits, is_markdown(path));
        // Parsing the new text must yield the actual values. It might not, because parts of a transcript cannot contain
        // YAML.
        let mut unread = edited.values;
        for tree in trees(self.id, path, &edited.text) {
            each_node(&tree, &mut |node| {
                let is_read = |value: &mut Value| *value == Value::from(node);
                if unread.get_mut(&node.span.start).is_some_and(is_read) {
                    unread.remove(&node.span.start);
                }
            });
        }
        let refused = |why: &str| Err(io::Error::new(ErrorKind::InvalidData, why));
        if !unread.is_empty() {
            return refused("the new value cannot be written at this location");
        }
        // A symbolic link stays a link: its target file is replaced.
        let path = &real_path(path);
        let before = std::fs::read_to_string(path)?;
        match before.strip_suffix(&*self.text) {
            Some(mark @ ("" | "\u{feff}")) => write_whole(path, &format!("{mark}{}", edited.text))?,
            _ => return refused("the file was edited after the run"),
        }
        Ok(replaced)
    }

    /// Moves the replacements at or below this node to `edits`.
    fn take_edits(&mut self, node: &Node, edits: &mut BTreeMap<u32, (u32, Value)>) {
        each_node(node, &mut |node| {
            let place = (node.span.start, node.span.end);
            // A missing value has no location to replace.
            if node.span.start < node.span.end
                && let Some((value, _)) = self.replacements.remove(&place)
            {
                replace(node, &value, &self.text, edits);
            }
        });
    }
}

/// The documents of a scenario file. A trace has none, because its records are its expectations.
fn trees(id: FileId, path: &Path, text: &str) -> Vec<Node> {
    let found = &mut Diagnostics::default();
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

fn each_node(node: &Node, act: &mut dyn FnMut(&Node)) {
    act(node);
    match &node.content {
        Content::Scalar(_) => {}
        Content::List(items) => items.iter().for_each(|item| each_node(item, act)),
        Content::Map(map) => map
            .entries
            .iter()
            .for_each(|(_, value)| each_node(value, act)),
    }
}

/// Replaces the parts of an expectation that do not match. Replaces only the keys of a map that are compared:
/// `data: {plan: basic}` becomes `data: {plan: premium}`, regardless of other data.
fn replace(node: &Node, actual: &Value, text: &str, edits: &mut BTreeMap<u32, (u32, Value)>) {
    let matcher = Matcher::read(node, MatcherMode::default(), &mut Diagnostics::default());
    if matcher.is_some_and(|matcher| matcher.matches(actual)) {
        return;
    }
    match (&node.content, actual) {
        (Content::Map(map), Value::Map(_)) if !is_operation(map) => {
            for (key, value) in &map.entries {
                let actual = actual.get(&key.text).unwrap_or(&Value::Null);
                replace(value, actual, text, edits);
            }
        }
        (Content::List(items), Value::List(values)) if items.len() == values.len() => {
            for (item, value) in items.iter().zip(values.iter()) {
                replace(item, value, text, edits);
            }
        }
        _ => {
            let (before, rest) = text.split_at(node.span.start as usize);
            let is_block_list = node.list().is_some() && !rest.starts_with('[');
            // The span of a block list (`- item`) starts at its first item, so the dash before that item is replaced
            // too.
            let dash = before
                .trim_end()
                .strip_suffix('-')
                .filter(|_| is_block_list)
                .and_then(|before| u32::try_from(before.len()).ok());
            let start = dash.unwrap_or(node.span.start);
            let value = if node.get("exactly").is_some() || has_empty_map(actual) {
                Value::map([("exactly", actual.clone())])
            } else {
                actual.clone()
            };
            edits.insert(start, (node.span.end, value));
        }
    }
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

/// The edited text, and the new values by their offset in it.
struct EditedText {
    text: String,
    values: BTreeMap<u32, Value>,
}

fn edited(before: &str, edits: &BTreeMap<u32, (u32, Value)>, is_markdown: bool) -> EditedText {
    let mut text = String::new();
    let mut values = BTreeMap::new();
    let mut at = 0;
    for (&start, (end, value)) in edits {
        text.push_str(before.get(at..start as usize).unwrap_or_default());
        let begin = u32::try_from(text.len()).unwrap_or(u32::MAX);
        values.insert(begin, value.clone());
        let written = FlowStyle(value).to_string();
        if is_markdown {
            // A comment ends at the first `-->`.
            text.push_str(&written.replace("-->", "--\\u003e"));
        } else {
            text.push_str(&written);
        }
        at = *end as usize;
    }
    text.push_str(before.get(at..).unwrap_or_default());
    EditedText { text, values }
}
