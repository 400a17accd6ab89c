//! Placeholders in texts, `{{name}}`: what they are and where they stand. What they stand for is said elsewhere.

use super::node::{Content, Node};
use crate::diagnostic::Span;

/// How a placeholder begins.
pub const PLACEHOLDER_OPEN: &str = "{{";
/// How it ends.
const PLACEHOLDER_CLOSE: &str = "}}";

/// The placeholders of a text: where each begins, and its name.
pub fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut behind = 0;
    text.match_indices(PLACEHOLDER_OPEN)
        .filter_map(move |(at, _)| {
            let rest = text
                .get(at + PLACEHOLDER_OPEN.len()..)
                .filter(|_| at >= behind)?;
            let name = rest.get(..rest.find(|c: char| !is_of_placeholder(c))?)?;
            let is_one = !name.is_empty() && rest.get(name.len()..)?.starts_with(PLACEHOLDER_CLOSE);
            is_one.then(|| {
                behind = at + placeholder_len(name);
                (at, name)
            })
        })
}

/// How long the placeholder of a name is, in bytes.
pub fn placeholder_len(name: &str) -> usize {
    PLACEHOLDER_OPEN.len() + name.len() + PLACEHOLDER_CLOSE.len()
}

/// The name of the placeholder that is all of a text.
pub fn lone_placeholder(text: &str) -> Option<&str> {
    placeholders(text)
        .next()
        .filter(|(_, name)| text.len() == placeholder_len(name))
        .map(|(_, name)| name)
}

/// Whether a character may stand in the name of a placeholder.
pub fn is_of_placeholder(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Calls `each` with the name and the place of every placeholder in a tree, keys included.
pub fn each_placeholder(node: &Node, each: &mut impl FnMut(&str, Span)) {
    match &node.content {
        Content::Scalar(scalar) => {
            placeholders(&scalar.text).for_each(|(_, name)| each(name, node.span));
        }
        Content::List(items) => items.iter().for_each(|item| each_placeholder(item, each)),
        Content::Map(map) => {
            for (key, value) in &map.entries {
                placeholders(&key.text).for_each(|(_, name)| each(name, key.span));
                each_placeholder(value, each);
            }
        }
    }
}
