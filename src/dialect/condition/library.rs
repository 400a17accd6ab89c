//! The built-in conditions: a file of data.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::{Node, parse_yaml};
use crate::machine::Switches;

struct ConditionLibrary {
    conditions: IndexMap<Box<str>, LibraryEntry, FxBuildHasher>,
    extra: IndexMap<Box<str>, LibraryEntry, FxBuildHasher>,
}

struct LibraryEntry {
    expression: Node,
    description: Box<str>,
}

static LIBRARY: LazyLock<ConditionLibrary> = LazyLock::new(|| {
    let text = include_str!("library.yaml");
    let mut sources = SourceMap::default();
    let file = sources.add("built-in conditions", text);
    let root = parse_yaml(file, text, 0, &mut Diagnostics::default());
    let section = |name: &str| {
        let map = root.as_ref().and_then(|root| root.get(name)).and_then(Node::map);
        map.into_iter()
            .flat_map(|map| &map.entries)
            .filter_map(|(key, node)| {
                let entry = LibraryEntry {
                    expression: node.get("expression")?.clone(),
                    description: node.get("description")?.text()?.into(),
                };
                Some((key.text.clone(), entry))
            })
            .collect()
    };
    ConditionLibrary { conditions: section("conditions"), extra: section("extra") }
});

/// A built-in condition: its name, its expression and its description.
pub(super) fn find(name: &str, switches: Switches) -> Option<(&'static str, &'static Node, &'static str)> {
    let library = &*LIBRARY;
    let extra = || library.extra.get_key_value(name).filter(|_| switches.extra_conditions);
    let (name, entry) = library.conditions.get_key_value(name).or_else(extra)?;
    Some((name, &entry.expression, &entry.description))
}

/// The names of the built-in conditions.
pub(super) fn names(switches: Switches) -> impl Iterator<Item = &'static str> {
    let library = &*LIBRARY;
    let extra = library.extra.keys().filter(move |_| switches.extra_conditions);
    library.conditions.keys().chain(extra).map(|name| &**name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Profile;

    #[test]
    fn the_file_is_read_whole() {
        assert_eq!(names(Profile::Reference.switches()).count(), 96);
        assert_eq!(names(Profile::Documented.switches()).count(), 100);
    }
}
