//! Ranks and their items: nodes, and the edges that run through.

/// An item in a rank. Even ranks contain nodes, and the odd ranks between them contain labels.
#[derive(Clone, Debug, Default)]
pub(super) struct RankedItem {
    /// The node; `None` for an edge.
    pub node: Option<usize>,
    pub rank: usize,
    /// The item belongs to an edge against the direction of the diagram. Such edges run below everything else.
    pub backward: bool,
    /// The size along the direction of the diagram.
    pub width: f64,
    /// The size before the center, across the direction.
    pub above: f64,
    /// The size after the center, across the direction.
    pub below: f64,
    /// The center, across the direction.
    pub y: f64,
}

/// The extent of a rank along the direction of the diagram. In its inner part, edges are straight.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankSpan {
    pub start: f64,
    pub inner_start: f64,
    pub inner_end: f64,
    pub end: f64,
}

impl RankSpan {
    /// The center of the inner part.
    pub(super) fn middle(&self) -> f64 {
        f64::midpoint(self.inner_start, self.inner_end)
    }
}

/// A segment of an edge between two items in adjacent ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub left: usize,
    pub right: usize,
}

/// The items, the order of each rank, and the links.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    pub items: Vec<RankedItem>,
    pub order: Vec<Vec<usize>>,
    pub links: Vec<Link>,
    /// The items linked on the left of each item, with weights.
    pub left: Vec<Vec<(usize, f64)>>,
    /// The items linked on the right of each item, with weights.
    pub right: Vec<Vec<(usize, f64)>>,
}

/// The number of items that all rounds of a layout step can visit. More take seconds.
const MAX_VISITS: usize = 5_000_000;

impl Ranks {
    /// The number of rounds of a layout step, of which small diagrams have `most`.
    pub(super) fn rounds(&self, most: usize) -> usize {
        (MAX_VISITS / self.items.len().max(1)).clamp(2, most)
    }

    pub(super) fn push(&mut self, item: RankedItem) -> usize {
        while self.order.len() <= item.rank {
            self.order.push(Vec::new());
        }
        let number = self.items.len();
        if let Some(rank) = self.order.get_mut(item.rank) {
            rank.push(number);
        }
        self.items.push(item);
        self.left.push(Vec::new());
        self.right.push(Vec::new());
        number
    }

    pub(super) fn link(&mut self, left: usize, right: usize) {
        let is_edge = |item: usize| self.items.get(item).is_some_and(|item| item.node.is_none());
        let weight = match (is_edge(left), is_edge(right)) {
            (true, true) => 8.0,
            (false, false) => 1.0,
            _ => 2.0,
        };
        self.links.push(Link { left, right });
        if let Some(list) = self.right.get_mut(left) {
            list.push((right, weight));
        }
        if let Some(list) = self.left.get_mut(right) {
            list.push((left, weight));
        }
    }

    /// The position of each item in its rank.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.items.len()];
        for rank in &self.order {
            for (at, item) in rank.iter().enumerate() {
                if let Some(place) = places.get_mut(*item) {
                    *place = at;
                }
            }
        }
        places
    }
}
