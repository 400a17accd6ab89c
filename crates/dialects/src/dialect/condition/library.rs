//! The built-in conditions: a file of data.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use fsmsim_core::machine::{Profile, Switches};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};

struct LibraryEntry {
    expression: Node,
    /// What it is without the switch `direct_answers`, where that is something else.
    reference: Option<Node>,
    description: Box<str>,
    /// Only there where a profile has the extra conditions.
    is_extra: bool,
}

impl LibraryEntry {
    fn is_there(&self, switches: Switches) -> bool {
        !self.is_extra || switches.extra_conditions
    }
}

static LIBRARY: LazyLock<IndexMap<Box<str>, LibraryEntry, FxBuildHasher>> = LazyLock::new(|| {
    let text = include_str!("library.yaml");
    let mut sources = SourceMap::default();
    let file = sources.add_invented("built-in conditions", text);
    let root = parse_yaml(file, text, 0, &mut Diagnostics::default());
    let section = |name: &str| {
        root.as_ref()
            .and_then(|root| root.get(name))
            .and_then(Node::map)
    };
    let sections = [("conditions", false), ("extra", true)].into_iter();
    let sections = sections.filter_map(|(name, is_extra)| Some((section(name)?, is_extra)));
    let entries =
        sections.flat_map(|(map, is_extra)| map.entries.iter().map(move |entry| (entry, is_extra)));
    let entries = entries.filter_map(|((key, node), is_extra)| {
        let (expression, description) = (
            node.get("expression")?.clone(),
            node.get("description")?.text()?.into(),
        );
        let reference = node.get("reference").cloned();
        Some((
            key.text.clone(),
            LibraryEntry {
                expression,
                reference,
                description,
                is_extra,
            },
        ))
    });
    entries.collect()
});

/// A built-in condition: its name, its expression and its description.
pub(super) fn find(
    name: &str,
    switches: Switches,
) -> Option<(&'static str, &'static Node, &'static str)> {
    let (name, entry) = LIBRARY
        .get_key_value(name)
        .filter(|(_, entry)| entry.is_there(switches))?;
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

/// The names of the built-in conditions.
pub(super) fn names(switches: Switches) -> impl Iterator<Item = &'static str> {
    LIBRARY
        .iter()
        .filter(move |(_, entry)| entry.is_there(switches))
        .map(|(name, _)| &**name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_whole() {
        assert_eq!(names(Profile::Reference.switches()).count(), 96);
        assert_eq!(names(Profile::Documented.switches()).count(), 100);
    }
}
