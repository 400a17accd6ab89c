//! The built-in conditions, from a data file.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use fsmsim_core::machine::{Profile, Switches};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};

struct LibraryEntry {
    expression: Node,
    /// The expression for profiles without the switch `direct_answers`, if it differs.
    reference: Option<Node>,
    description: Box<str>,
    /// Whether the condition exists only in profiles with the switch `extra_conditions`.
    is_extra: bool,
}

impl LibraryEntry {
    fn is_available(&self, switches: Switches) -> bool {
        !self.is_extra || switches.extra_conditions
    }
}

static LIBRARY: LazyLock<IndexMap<Box<str>, LibraryEntry, FxBuildHasher>> = LazyLock::new(|| {
    let text = include_str!("library.yaml");
    let root = parse_yaml(
        SourceMap::default().add_invented("built-in conditions", text),
        text,
        0,
        &mut Diagnostics::default(),
    );
    let mut library = IndexMap::default();
    for (section, is_extra) in [("conditions", false), ("extra", true)] {
        let entries = root.iter().filter_map(|root| root.get(section));
        for (key, node) in entries.flat_map(Node::entries) {
            let description = node.get("description").and_then(Node::text);
            if let (Some(expression), Some(description)) = (node.get("expression"), description) {
                let entry = LibraryEntry {
                    expression: expression.clone(),
                    reference: node.get("reference").cloned(),
                    description: description.into(),
                    is_extra,
                };
                library.insert(key.text.clone(), entry);
            }
        }
    }
    library
});

/// The name, the expression and the description of a built-in condition.
pub(super) fn find(
    name: &str,
    switches: Switches,
) -> Option<(&'static str, &'static Node, &'static str)> {
    let (name, entry) = LIBRARY
        .get_key_value(name)
        .filter(|(_, entry)| entry.is_available(switches))?;
    let reference = entry
        .reference
        .as_ref()
        .filter(|_| !switches.direct_answers);
    Some((
        name,
        reference.unwrap_or(&entry.expression),
        &entry.description,
    ))
}

/// All built-in conditions of the default profile: name, expression, description.
pub fn built_in() -> impl Iterator<Item = (&'static str, &'static Node, &'static str)> {
    let switches = Profile::default().switches();
    names(switches).filter_map(move |name| find(name, switches))
}

pub(super) fn names(switches: Switches) -> impl Iterator<Item = &'static str> {
    LIBRARY
        .iter()
        .filter(move |(_, entry)| entry.is_available(switches))
        .map(|(name, _)| &**name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_built_in_conditions_are_read() {
        assert_eq!(names(Profile::Reference.switches()).count(), 96);
        assert_eq!(names(Profile::Documented.switches()).count(), 100);
    }
}
