//! A list that is cheap to clone and to append to, regardless of its length.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::list_index::ListIndex;

/// The maximum number of items in a leaf, and of children in a branch.
const WIDTH: usize = 1 << BITS;
const BITS: u32 = 5;
/// Lists with at least this many items have an index.
const INDEXED: usize = 16;

/// A persistent list: a tree whose nodes are shared between a list and the lists made from it by appending. A
/// dialogue can collect items without copying the earlier ones in every turn and in every copy of the session.
#[derive(Clone, Default)]
pub struct List<T> {
    body: Arc<Body<T>>,
}

#[derive(Clone, Default)]
struct Body<T> {
    len: usize,
    /// The number of branch levels above the leaves.
    height: u32,
    root: Arc<ListNode<T>>,
    /// The positions of the items, created by the first append to a list that is not short.
    index: Option<ListIndex>,
}

#[derive(Clone)]
enum ListNode<T> {
    Leaf(Vec<T>),
    Branch(Vec<Arc<ListNode<T>>>),
}

impl<T> Default for ListNode<T> {
    fn default() -> Self {
        Self::Leaf(Vec::new())
    }
}

impl<T: Clone + Default + Eq + Hash> List<T> {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.body.len
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.body.len == 0
    }

    /// The item at a position, starting at 0.
    pub fn get(&self, at: usize) -> Option<&T> {
        let mut height = self.body.height;
        let mut node = &*self.body.root;
        loop {
            match node {
                ListNode::Leaf(items) => {
                    return items.get(at % WIDTH).filter(|_| at < self.body.len);
                }
                ListNode::Branch(children) => {
                    node = children.get((at >> (BITS * height)) % WIDTH)?;
                    height -= 1;
                }
            }
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.since(0)
    }

    /// The items from a position on.
    pub fn since(&self, start: usize) -> impl DoubleEndedIterator<Item = &T> {
        (start..self.body.len).filter_map(|at| self.get(at))
    }

    /// Whether the list contains an item.
    pub fn contains(&self, item: &T) -> bool {
        match &self.body.index {
            Some(index) => index.places(item).any(|at| self.get(at) == Some(item)),
            None => self.iter().any(|known| known == item),
        }
    }

    /// Appends an item.
    pub fn push(&mut self, item: T) {
        let body = Arc::make_mut(&mut self.body);
        if body.index.is_none() && body.len >= INDEXED {
            let mut index = ListIndex::default();
            self.iter()
                .enumerate()
                .for_each(|(at, item)| index.insert(item, at));
            Arc::make_mut(&mut self.body).index = Some(index);
        }
        let body = Arc::make_mut(&mut self.body);
        if let Some(index) = &mut body.index {
            index.insert(&item, body.len);
        }
        body.put(item);
    }

    /// Whether this list starts with the items of `before`. Shared nodes are not compared.
    pub fn starts_with(&self, before: &Self) -> bool {
        if before.len() > self.len() {
            return false;
        }
        let mut node = &self.body.root;
        // The items of a lower tree are in the first child of a higher tree.
        for _ in before.body.height..self.body.height {
            match &**node {
                ListNode::Branch(children) => match children.first() {
                    Some(first) => node = first,
                    None => return before.is_empty(),
                },
                ListNode::Leaf(_) => break,
            }
        }
        ListNode::starts_with(node, &before.body.root)
    }
}

impl<T: Clone + PartialEq> Body<T> {
    fn put(&mut self, item: T) {
        if self.len == WIDTH << (BITS * self.height) {
            self.root = Arc::new(ListNode::Branch(vec![Arc::clone(&self.root)]));
            self.height += 1;
        }
        ListNode::put(&mut self.root, self.height, self.len, item);
        self.len += 1;
    }
}

impl<T: Clone + PartialEq> ListNode<T> {
    /// Puts an item at the next free position.
    fn put(this: &mut Arc<Self>, height: u32, at: usize, item: T) {
        match Arc::make_mut(this) {
            Self::Leaf(items) => items.push(item),
            Self::Branch(children) => {
                let number = (at >> (BITS * height)) % WIDTH;
                if number == children.len() {
                    children.push(Arc::new(if height > 1 {
                        Self::Branch(Vec::new())
                    } else {
                        Self::default()
                    }));
                }
                if let Some(child) = children.get_mut(number) {
                    Self::put(child, height - 1, at, item);
                }
            }
        }
    }

    /// Whether the items of a tree start with those of another tree of the same height.
    fn starts_with(this: &Arc<Self>, before: &Arc<Self>) -> bool {
        Arc::ptr_eq(this, before)
            || match (&**this, &**before) {
                (Self::Leaf(items), Self::Leaf(before)) => items.starts_with(before),
                (Self::Branch(children), Self::Branch(before)) => {
                    children.len() >= before.len()
                        && children
                            .iter()
                            .zip(before)
                            .all(|(child, before)| Self::starts_with(child, before))
                }
                _ => false,
            }
    }
}

impl<T: Clone + Default + Eq + Hash> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut body = Body::default();
        items.into_iter().for_each(|item| body.put(item));
        Self {
            body: Arc::new(body),
        }
    }
}

impl<T: Clone + Default + Eq + Hash, const N: usize> From<[T; N]> for List<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Default + Eq + Hash> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.starts_with(other)
    }
}

impl<T: Clone + Default + Eq + Hash> Eq for List<T> {}

impl<T: Clone + Default + Eq + Hash> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|item| item.hash(state));
    }
}

impl<T: Clone + Default + Eq + Hash + fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::{List, Value};

    fn number(number: usize) -> Value {
        Value::Int(i64::try_from(number).unwrap())
    }

    #[test]
    fn push_appends_and_leaves_earlier_lists_unchanged() {
        let mut list = List::default();
        let mut before = Vec::new();
        for at in 0..40_000 {
            if at % 997 == 0 {
                before.push(list.clone());
            }
            list.push(number(at));
        }
        assert!(
            list.iter()
                .enumerate()
                .all(|(at, item)| *item == number(at))
        );
        assert_eq!(
            (list.len(), list.get(40_000), list.since(39_999).count()),
            (40_000, None, 1)
        );
        for (round, short) in before.iter().enumerate() {
            assert_eq!(short.len(), round * 997);
            assert!(list.starts_with(short) && (short.is_empty() || !short.starts_with(&list)));
            assert_eq!(*short, (0..round * 997).map(number).collect::<List>());
        }
    }

    #[test]
    fn contains_finds_present_items_only_at_any_length() {
        for len in [0, 1, 15, 16, 17, 31, 32, 33, 1024, 1025, 3000] {
            let given: List = (0..len).map(number).collect();
            let mut grown = List::default();
            (0..len).for_each(|at| grown.push(number(at)));
            for list in [&given, &grown] {
                assert!((0..len).all(|at| list.contains(&number(at))), "{len}");
                assert!(
                    !list.contains(&number(len)) && !list.contains(&Value::Null),
                    "{len}"
                );
            }
            assert_eq!(given, grown);
        }
    }

    #[test]
    fn diverged_lists_differ() {
        let common: List = (0..100).map(number).collect();
        let (mut one, mut other) = (common.clone(), common.clone());
        one.push(number(1));
        other.push(number(2));
        assert!(one != other && !one.starts_with(&other) && one.starts_with(&common));
        let changed: List = (0..100)
            .map(|at| number(at + usize::from(at == 50)))
            .collect();
        assert!(changed != common && !one.starts_with(&changed));
    }
}
