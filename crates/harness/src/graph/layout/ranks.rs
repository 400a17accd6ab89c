//! What stands in the ranks: nodes, and the edges that run through.

/// Something that stands in a rank. Even ranks are columns of nodes; in odd ones, between them, stand the labels.
#[derive(Clone, Debug, Default)]
pub(super) struct RankedItem {
    /// The node, or nothing for an edge that runs through.
    pub(super) node: Option<usize>,
    pub(super) rank: usize,
    /// It belongs to an edge against the direction, which runs below everything else.
    pub(super) backward: bool,
    /// How far it reaches along the direction.
    pub(super) width: f64,
    /// How far it reaches before its middle, across the direction.
    pub(super) above: f64,
    /// How far it reaches after its middle, across the direction.
    pub(super) below: f64,
    /// Its middle, across the direction.
    pub(super) y: f64,
}

/// From where to where a rank reaches along the direction. Edges are straight in its inner part.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankSpan {
    pub(super) start: f64,
    pub(super) inner_start: f64,
    pub(super) inner_end: f64,
    pub(super) end: f64,
}

impl RankSpan {
    /// The middle of its inner part.
    pub(super) fn middle(&self) -> f64 {
        f64::midpoint(self.inner_start, self.inner_end)
    }
}

/// Two items in neighbouring ranks that a stretch of an edge joins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) left: usize,
    pub(super) right: usize,
}

/// The items, the ranks in their order, and the links.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    pub(super) items: Vec<RankedItem>,
    pub(super) order: Vec<Vec<usize>>,
    pub(super) links: Vec<Link>,
    /// Of each item, what it is joined with on the left, and how much.
    pub(super) left: Vec<Vec<(usize, f64)>>,
    /// Of each item, what it is joined with on the right, and how much.
    pub(super) right: Vec<Vec<(usize, f64)>>,
}

impl Ranks {
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

    /// The place of each item in its rank.
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
