//! The positions of the items of a list.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The number of children of a branch.
const WIDTH: usize = 1 << BITS;
const BITS: u32 = 4;
/// The maximum number of positions in a leaf before it is split.
const CROWD: usize = 8;

/// The positions of the items of a list: a tree keyed by the bits of their hashes. Its nodes are shared between lists,
/// like the nodes of the lists.
#[derive(Clone, Default)]
pub(super) struct ListIndex {
    root: Arc<IndexNode>,
}

#[derive(Clone)]
enum IndexNode {
    /// Hashes with positions.
    Leaf(Vec<(u64, usize)>),
    Branch(Box<[Arc<IndexNode>]>),
}

impl Default for IndexNode {
    fn default() -> Self {
        Self::Leaf(Vec::new())
    }
}

impl ListIndex {
    /// Records the position of an item.
    pub(super) fn insert(&mut self, item: &impl Hash, at: usize) {
        IndexNode::insert(&mut self.root, 0, (hash(item), at));
    }

    /// The possible positions of an item: its own, and those of items with the same hash.
    pub(super) fn places(&self, item: &impl Hash) -> impl Iterator<Item = usize> {
        let hash = hash(item);
        let mut node = &*self.root;
        let mut depth = 0;
        let places = loop {
            match node {
                IndexNode::Leaf(places) => break places.as_slice(),
                IndexNode::Branch(children) => match children.get(way(hash, depth)) {
                    Some(child) => (node, depth) = (child, depth + 1),
                    None => break &[],
                },
            }
        };
        places
            .iter()
            .filter(move |(known, _)| *known == hash)
            .map(|(_, at)| *at)
    }
}

impl IndexNode {
    fn insert(this: &mut Arc<Self>, depth: u32, place: (u64, usize)) {
        let node = Arc::make_mut(this);
        if let Self::Leaf(places) = node {
            // At the maximum depth no bits remain to split by.
            if places.len() < CROWD || depth == u64::BITS / BITS {
                places.push(place);
                return;
            }
            let mut children = vec![Self::default(); WIDTH];
            for place in places.drain(..) {
                if let Some(Self::Leaf(places)) = children.get_mut(way(place.0, depth)) {
                    places.push(place);
                }
            }
            *node = Self::Branch(children.into_iter().map(Arc::new).collect());
        }
        if let Self::Branch(children) = node
            && let Some(child) = children.get_mut(way(place.0, depth))
        {
            Self::insert(child, depth + 1, place);
        }
    }
}

/// The index of a branch's child for a hash, at a depth.
fn way(hash: u64, depth: u32) -> usize {
    usize::try_from((hash >> (BITS * depth)) % (1 << BITS)).unwrap_or_default()
}

/// The order is never visible, so the hash may differ between builds.
fn hash(item: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.hash(&mut hasher);
    hasher.finish()
}
