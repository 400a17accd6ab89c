//! Lists that are too long to store.

use super::node::Node;
use super::simple_yaml::{SimpleYaml, YamlText};
use super::yaml::{Progress, YamlReader};
use crate::diagnostic::{Diagnostics, FileId};

/// A list that its document stores only in part. An iteration parses the text again and yields one item at a time.
#[derive(Clone, Copy, Debug)]
pub struct LongList<'t> {
    of: YamlText<'t>,
    key: &'static str,
    /// The number of items at the start of the list that the document stores. It also stores the last item, so that the
    /// span of the list is correct.
    pub held: usize,
}

/// An iterator over the items of a list.
struct LongListItems<'t> {
    reader: YamlReader<'t>,
    key: &'static str,
    /// The number of items to skip.
    before: usize,
}

/// Parses the first document of `text`, which starts at byte `base` of `file`, like [`parse_yaml`](super::parse_yaml).
/// The list under `key` stores at most `most` items. The other items can be iterated.
pub fn parse_long_yaml<'t>(
    (file, text, base): (FileId, &'t str, usize),
    (key, most): (&'static str, usize),
    found: &mut Diagnostics,
) -> Option<(Node, Option<LongList<'t>>)> {
    let of = YamlText { file, text, base };
    if let Some(node) = SimpleYaml::read(of, (key, most + 1)) {
        return Some((node, None));
    }
    let mut is_cut = false;
    let node = YamlReader::new(of).read(found, |tree| {
        if let Some(items) = tree.items_under(key).filter(|items| items.len() > most + 1) {
            items.swap_remove(most);
            is_cut = true;
        }
    })?;
    Some((
        node,
        is_cut.then_some(LongList {
            of,
            key,
            held: most,
        }),
    ))
}

impl<'t> LongList<'t> {
    /// The list under `key` of a text that was parsed before. The document stores `held` of its items.
    pub fn of(
        (file, text, base): (FileId, &'t str, usize),
        key: &'static str,
        held: usize,
    ) -> Self {
        Self {
            of: YamlText { file, text, base },
            key,
            held,
        }
    }

    /// The items that the document does not store, and the last one. Errors were reported when the text was first
    /// parsed.
    pub fn rest(self) -> impl Iterator<Item = Node> + 't {
        LongListItems {
            reader: YamlReader::new(self.of),
            key: self.key,
            before: self.held,
        }
    }
}

impl Iterator for LongListItems<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let mut ignored = Diagnostics::default();
        while let Progress::More = self.reader.step(&mut ignored) {
            let Some(item) = self.reader.tree.items_under(self.key).and_then(Vec::pop) else {
                continue;
            };
            match self.before.checked_sub(1) {
                Some(before) => self.before = before,
                None => return Some(item),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceMap;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let file = SourceMap::default().add("a.yaml", text);
        let mut found = Diagnostics::default();
        let (node, rest) = parse_long_yaml((file, text, 0), ("turns", 2), &mut found).unwrap();
        assert!(found.is_empty(), "{text}");
        let shown = |node: &Node| {
            node.text()
                .map_or_else(|| format!("{node:?}"), str::to_owned)
        };
        let held = node
            .get("turns")
            .map(|turns| turns.items().iter().map(shown).collect())
            .unwrap_or_default();
        (
            held,
            rest.into_iter()
                .flat_map(LongList::rest)
                .map(|node| shown(&node))
                .collect(),
        )
    }

    #[test]
    fn a_long_list_stores_its_first_items_and_the_last_one() {
        assert_eq!(
            read("turns: [a, b, c]\n"),
            (vec!["a".into(), "b".into(), "c".into()], vec![])
        );
        for text in [
            "turns: [a, b, c, d, e]\nend: x\n",
            "end: x\nturns:\n- a\n- b\n- c\n- d\n- e\n",
        ] {
            let (held, rest) = read(text);
            assert_eq!(held, ["a", "b", "e"], "{text}");
            assert_eq!(rest, ["c", "d", "e"], "{text}");
        }
        let (held, rest) = read("turns: [&x a, b, c, *x, *x]\n");
        assert_eq!(
            (held, rest),
            (
                vec!["a".into(), "b".into(), "a".into()],
                vec!["c".into(), "a".into(), "a".into()]
            )
        );
    }

    #[test]
    fn other_lists_are_stored_completely() {
        for text in [
            "turns: &x [a, b, c, d, e]\n",
            "x: &x [a, b, c, d, e]\nturns: *x\n",
            "x: &x {turns: [a, b, c, d, e]}\n<<: *x\n",
            "<<: {turns: [a, b, c, d, e]}\n",
        ] {
            let (held, rest) = read(text);
            assert_eq!((held.len(), rest.len()), (5, 0), "{text}");
        }
        assert_eq!(read("- [a, b, c, d]\n"), (vec![], vec![]));
        assert_eq!(read("x: {turns: [a, b, c, d]}\n"), (vec![], vec![]));
    }
}
