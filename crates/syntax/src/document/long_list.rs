//! A list of a document that is too long to be held.

use super::node::Node;
use super::yaml::{Progress, YamlReader, YamlText};
use crate::diagnostic::{Diagnostics, FileId};

/// The items of a list that its document does not hold: they are read anew by whoever goes through them, one at a time.
#[derive(Clone, Copy, Debug)]
pub struct LongList<'t> {
    of: YamlText<'t>,
    key: &'static str,
    /// How many items, the first ones, the document holds. It holds the last one, too, so that it ends where it ends.
    pub held: usize,
}

/// Goes through the items of a list.
struct LongListItems<'t> {
    reader: YamlReader<'t>,
    key: &'static str,
    /// Items to pass over.
    before: usize,
}

/// Reads the first document of `text`, which starts at byte `base` of `file`, as [`parse_yaml`](super::parse_yaml) does; of the
/// list under `key` no more than `most` items are held, and the others can be gone through.
pub fn parse_long_yaml<'t>(
    (file, text, base): (FileId, &'t str, usize),
    (key, most): (&'static str, usize),
    found: &mut Diagnostics,
) -> Option<(Node, Option<LongList<'t>>)> {
    let of = YamlText { file, text, base };
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
    /// The list under `key` of a text that was read before, of which the document holds so many items.
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

    /// The items that the document does not hold, and the last one. What is wrong with the text was told when it was read first.
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
        let mut told = Diagnostics::default();
        while let Progress::More = self.reader.step(&mut told) {
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
    fn of_a_long_list_the_first_items_are_held_and_the_last_one() {
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
    fn other_lists_are_held_whole() {
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
