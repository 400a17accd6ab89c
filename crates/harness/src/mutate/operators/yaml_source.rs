//! Edits of YAML text that leave it well-formed.

use std::ops::Range;

use crate::snapshot::FlowStyle;
use fsmsim_core::machine::Value;
use fsmsim_syntax::document::{Content, Key, Node};

/// A part of a text, and its replacement.
pub(super) type YamlEdit = (Range<usize>, String);

/// The text of a file with YAML.
#[derive(Clone, Copy)]
pub(super) struct YamlSource<'t>(pub &'t str);

/// Whether a map or list is in brackets. Without brackets, it starts with its first item.
pub(super) fn is_bracketed(node: &Node) -> bool {
    let first = match &node.content {
        Content::Map(map) => map.entries.first().map(|(key, _)| key.span),
        Content::List(items) => items.first().map(|item| item.span),
        Content::Scalar(_) => None,
    };
    first.is_some_and(|first| first.start != node.span.start)
}

impl<'t> YamlSource<'t> {
    pub(super) fn line_start(self, at: usize) -> usize {
        let before = self.0.get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |found| found + 1)
    }

    pub(super) fn line_end(self, at: usize) -> usize {
        let rest = self.0.get(at..).unwrap_or_default();
        at + rest.find('\n').unwrap_or(rest.len())
    }

    /// The text in the line before `at`.
    pub(super) fn prefix(self, at: usize) -> &'t str {
        self.0.get(self.line_start(at)..at).unwrap_or_default()
    }

    /// The end of a node without the white space that its span can include.
    fn trimmed_end(self, node: &Node) -> usize {
        let before = self.0.get(..node.span.end as usize);
        before.unwrap_or_default().trim_end().len()
    }

    /// The end of the block that starts at `start` with `value`, without its last line break: its line, and the next
    /// lines that are indented by more than `column`.
    fn block_end(self, start: usize, column: usize, is_key: bool, value: &Node) -> usize {
        let mut end = self.line_end(start);
        let mut at = end + 1;
        for line in self.0.get(at..).unwrap_or_default().split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            // The list of a key can start in the column of the key.
            let is_list = is_key && indent == column && content.starts_with("- ");
            let is_inside = indent > column || is_list;
            let is_skipped = content.trim().is_empty() || (!is_inside && content.starts_with('#'));
            if !is_inside && !is_skipped {
                break;
            }
            at += line.len();
            if !is_skipped {
                end = at - usize::from(line.ends_with('\n'));
            }
        }
        // A value in brackets or quotation marks can have less indentation. An alias has its value elsewhere.
        if value.span.start as usize >= start {
            end = end.max(self.line_end(self.trimmed_end(value)));
        }
        end
    }

    /// The bytes of a value. A list must be in brackets.
    pub(super) fn range(self, node: &Node) -> Range<usize> {
        let start = node.span.start as usize;
        let column = self.prefix(start).len().checked_sub(1);
        match (&node.content, column) {
            (Content::Map(map), Some(column)) if !map.entries.is_empty() && !is_bracketed(node) => {
                start..self.block_end(start, column, false, node)
            }
            _ => start..self.trimmed_end(node).max(start),
        }
    }

    /// A value in one style for all places: as it is written if it is in brackets, otherwise in one line.
    pub(super) fn in_brackets(self, node: &Node) -> String {
        if is_bracketed(node) {
            self.0.get(self.range(node)).unwrap_or_default().to_owned()
        } else {
            FlowStyle(&Value::from(node)).to_string()
        }
    }

    /// Removes an entry of a map. `None` if its text has an unusual form, for example with an anchor.
    pub(super) fn without_entry(self, map: &Node, number: usize) -> Option<YamlEdit> {
        let entries = map.entries();
        let (key, value) = entries.get(number)?;
        let start = key.span.start as usize;
        if is_bracketed(map) {
            return self.without_flow_item(start, self.value_end(key, value)?);
        }
        let prefix = self.prefix(start);
        if prefix.contains(|c: char| !matches!(c, ' ' | '-')) {
            return None;
        }
        let end = self.block_end(start, prefix.len(), true, value);
        if entries.len() == 1 {
            return Some((start..end, "{}".to_owned()));
        }
        if !prefix.contains('-') {
            return Some(self.without_lines(start, end));
        }
        // The key follows the dash of a list item.
        let next = entries.get(number + 1)?.0.span.start as usize;
        (start < next).then(|| (start..next, String::new()))
    }

    /// Removes an item of a list. `None` if its text has an unusual form, for example an alias.
    pub(super) fn without_item(self, list: &Node, number: usize) -> Option<YamlEdit> {
        let items = list.list()?;
        let item = items.get(number)?;
        let start = item.span.start as usize;
        if is_bracketed(list) {
            let end = self.trimmed_end(item);
            let is_inside = list.span.contains(item.span) && start < end;
            return is_inside.then(|| self.without_flow_item(start, end))?;
        }
        let dash = self.prefix(start).trim_end().strip_suffix('-')?;
        if !dash.trim_start_matches(' ').is_empty() {
            return None;
        }
        let end = self.block_end(start, dash.len(), false, item);
        if items.len() > 1 {
            return Some(self.without_lines(start, end));
        }
        // A list in brackets must be indented by more than its key.
        let from = self.line_start(start) + dash.len();
        Some((from..end, " []".to_owned()))
    }

    /// Removes the lines from the one with `start` to the one with `end`.
    pub(super) fn without_lines(self, start: usize, end: usize) -> YamlEdit {
        let end = (self.line_end(end) + 1).min(self.0.len());
        (self.line_start(start)..end, String::new())
    }

    /// Removes an item of a map or list in brackets, with one comma.
    fn without_flow_item(self, start: usize, end: usize) -> Option<YamlEdit> {
        let before = self.0.get(..start)?.trim_end();
        let after = self.0.get(end..)?;
        let rest = after.trim_start();
        let end_of_gap = end + after.len() - rest.len();
        if !before.ends_with(['{', '[', ',']) {
            return None;
        }
        if let Some(next) = rest.strip_prefix(',') {
            let spaces = next.len() - next.trim_start_matches(' ').len();
            return Some((start..end_of_gap + 1 + spaces, String::new()));
        }
        let from = if before.ends_with(',') {
            before.len() - 1
        } else {
            start
        };
        rest.starts_with(['}', ']'])
            .then(|| (from..end, String::new()))
    }

    /// The end of an entry in braces. The span of an alias is that of its anchor.
    fn value_end(self, key: &Key, value: &Node) -> Option<usize> {
        let at = key.span.end as usize;
        if value.span.start as usize >= at && value.span.end > value.span.start {
            return Some(self.trimmed_end(value));
        }
        let Some(rest) = self.0.get(at..)?.trim_start().strip_prefix(':') else {
            return Some(at);
        };
        let alias = rest.trim_start();
        if !alias.starts_with('*') {
            return Some(self.0.len() - rest.len());
        }
        let length = alias.find([',', '}', ' ', '\n']).unwrap_or(alias.len());
        Some(self.0.len() - alias.len() + length)
    }
}
