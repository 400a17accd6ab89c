//! Orders the items within their ranks to avoid edge crossings.

use super::ranks::{RankedItem, Ranks};

/// The number of sweeps over the ranks of a small diagram.
const SWEEPS: usize = 8;

/// A new order is used only if the old one has more than this many times as many crossings, plus one for each node.
const WORTH: usize = 4;

/// Orders each rank. Definition order is kept unless it causes many crossings (more than a single edge can cause), so
/// that a small edit changes little. Backward edges come last.
pub(super) fn order(ranks: &mut Ranks) {
    sweep(ranks, true, true);
    let nodes = ranks_nodes(&ranks.items);
    let mut best = ranks.order.clone();
    let mut least = crossings(ranks);
    for number in 0..ranks.rounds(SWEEPS) {
        sweep(ranks, number % 2 == 1, false);
        let now = crossings(ranks);
        if now * WORTH + nodes < least {
            (best, least) = (ranks.order.clone(), now);
        }
    }
    ranks.order = best;
}

/// Sorts each rank by the neighbors of its items, from left to right or from right to left. With `as_written`, nodes
/// stay in definition order. An item is placed at the mean position of its neighbors: with neighbors at 0 and 4, it
/// comes before an item with a neighbor at 3. A sweep can make things worse, so the caller keeps the best order.
fn sweep(ranks: &mut Ranks, rightward: bool, as_written: bool) {
    let count = ranks.order.len();
    let mut places = ranks.places();
    for step in 0..count {
        let rank = if rightward { step } else { count - 1 - step };
        let linked = if rightward { &ranks.left } else { &ranks.right };
        let Some(order) = ranks.order.get_mut(rank) else {
            continue;
        };
        let mut keyed: Vec<(bool, f64, usize)> = order
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let neighbors = linked.get(*item).map_or(&[][..], Vec::as_slice);
                let sum: usize = neighbors
                    .iter()
                    .filter_map(|(other, _)| places.get(*other))
                    .sum();
                #[expect(clippy::cast_precision_loss, reason = "places are few")]
                let middle = if neighbors.is_empty() {
                    at as f64
                } else {
                    sum as f64 / neighbors.len() as f64
                };
                (
                    ranks.items.get(*item).is_some_and(|item| item.backward),
                    middle,
                    *item,
                )
            })
            .collect();
        keyed.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        if as_written {
            keep_written(&mut keyed, ranks_nodes(&ranks.items));
        }
        for (at, (_, _, item)) in keyed.iter().enumerate() {
            if let Some(place) = places.get_mut(*item) {
                *place = at;
            }
        }
        *order = keyed.into_iter().map(|(_, _, item)| item).collect();
    }
}

/// The number of nodes among the items. Nodes come first.
fn ranks_nodes(items: &[RankedItem]) -> usize {
    items.iter().take_while(|item| item.node.is_some()).count()
}

/// Puts nodes in definition order, keeping the positions of other items.
fn keep_written(keyed: &mut [(bool, f64, usize)], nodes: usize) {
    let mut written: Vec<usize> = keyed
        .iter()
        .map(|(.., item)| *item)
        .filter(|item| *item < nodes)
        .collect();
    written.sort_unstable();
    let mut written = written.into_iter();
    for (.., item) in keyed.iter_mut().filter(|(.., item)| *item < nodes) {
        *item = written.next().unwrap_or(*item);
    }
}

/// The number of crossings between links.
fn crossings(ranks: &Ranks) -> usize {
    let places = ranks.places();
    let place = |item: usize| places.get(item).copied().unwrap_or_default();
    let mut by_rank: Vec<Vec<(usize, usize)>> = vec![Vec::new(); ranks.order.len()];
    for link in &ranks.links {
        let rank = ranks.items.get(link.left).map_or(0, |item| item.rank);
        if let Some(list) = by_rank.get_mut(rank) {
            list.push((place(link.left), place(link.right)));
        }
    }
    by_rank.iter_mut().map(|links| inversions(links)).sum()
}

/// The number of pairs of links whose ends are in reverse order.
fn inversions(links: &mut [(usize, usize)]) -> usize {
    links.sort_unstable();
    let size = links.iter().map(|(_, end)| end + 1).max().unwrap_or(0);
    // A Fenwick tree counts the later links that end before a place. Comparing all pairs would take minutes.
    let mut ends = vec![0_usize; size + 1];
    let mut count = 0;
    for links in links.chunk_by(|one, other| one.0 == other.0).rev() {
        for (_, end) in links {
            let mut at = *end;
            while let Some(before) = ends.get(at).filter(|_| at > 0) {
                count += before;
                at &= at - 1;
            }
        }
        for (_, end) in links {
            let mut at = end + 1;
            while let Some(number) = ends.get_mut(at) {
                *number += 1;
                at += at & at.wrapping_neg();
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::inversions;

    #[test]
    fn inversions_are_the_crossing_pairs() {
        let links: Vec<(usize, usize)> = (0..60).map(|at| (at * 7 % 13, at * 11 % 17)).collect();
        let crossing =
            |one: &(usize, usize), other: &(usize, usize)| one.0 < other.0 && one.1 > other.1;
        let pairs = links
            .iter()
            .flat_map(|one| links.iter().map(move |other| crossing(one, other)));
        assert_eq!(
            inversions(&mut links.clone()),
            pairs.filter(|crosses| *crosses).count()
        );
    }
}
