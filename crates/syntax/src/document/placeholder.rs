//! The syntax of placeholders in texts, `{{name}}`.

use super::node::Node;
use crate::diagnostic::Span;

/// The start of a placeholder.
pub const PLACEHOLDER_OPEN: &str = "{{";
/// The end of a placeholder.
const PLACEHOLDER_CLOSE: &str = "}}";

/// The placeholders of a text: their offsets and names.
pub fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    text.match_indices(PLACEHOLDER_OPEN)
        .filter_map(move |(at, _)| {
            let rest = text
                .get(at + PLACEHOLDER_OPEN.len()..)
                .filter(|_| at >= end)?;
            let name = rest.get(..rest.find(|c: char| !is_of_placeholder(c))?)?;
            let is_closed =
                !name.is_empty() && rest.get(name.len()..)?.starts_with(PLACEHOLDER_CLOSE);
            is_closed.then(|| {
                end = at + placeholder_len(name);
                (at, name)
            })
        })
}

/// The length of a placeholder with this name, in bytes.
pub fn placeholder_len(name: &str) -> usize {
    PLACEHOLDER_OPEN.len() + name.len() + PLACEHOLDER_CLOSE.len()
}

/// The name of the placeholder, if the text is exactly one placeholder.
pub fn lone_placeholder(text: &str) -> Option<&str> {
    placeholders(text)
        .next()
        .filter(|(_, name)| text.len() == placeholder_len(name))
        .map(|(_, name)| name)
}

/// Whether the name of a placeholder can contain the character.
pub fn is_of_placeholder(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Calls `each` with the name and the position of every placeholder in a tree, including its keys.
pub fn each_placeholder(node: &Node, each: &mut impl FnMut(&str, Span)) {
    node.each_text(&mut |text, span| placeholders(text).for_each(|(_, name)| each(name, span)));
}
