//! In which order things stand in their ranks: so that few edges cross.

use super::ranks::{RankedItem, Ranks};

/// How often the ranks are gone through, each way.
const SWEEPS: usize = 8;

/// Another order is worth it where it leaves at most one crossing of so many, and one for each node less.
const WORTH: usize = 4;

/// Orders each rank. What is written first stands first unless that makes very many edges cross, more than one edge can: so an
/// edit of one moves little. What runs backward stands last.
pub(super) fn order(ranks: &mut Ranks) {
    sweep(ranks, true, true);
    let nodes = ranks_nodes(&ranks.items);
    let (mut best, mut least) = (ranks.order.clone(), crossings(ranks));
    for number in 0..SWEEPS {
        sweep(ranks, number % 2 == 1, false);
        let now = crossings(ranks);
        if now * WORTH + nodes < least {
            (best, least) = (ranks.order.clone(), now);
        }
    }
    ranks.order = best;
}

/// Sorts each rank by where the neighbours of its items stand, from left to right or from right to left; nodes may stay as
/// they are written. An item goes to the mean of their places: one with neighbours at 0 and 4 comes before one with a neighbour
/// at 3. One sweep can make things worse, so the caller keeps the best order of several.
fn sweep(ranks: &mut Ranks, rightward: bool, as_written: bool) {
    let count = ranks.order.len();
    let mut places = ranks.places();
    for step in 0..count {
        let rank = if rightward { step } else { count - 1 - step };
        let towards = if rightward { &ranks.left } else { &ranks.right };
        let Some(order) = ranks.order.get_mut(rank) else {
            continue;
        };
        let mut keyed: Vec<(bool, f64, usize)> = order
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let beside = towards.get(*item).map_or(&[][..], Vec::as_slice);
                let sum: usize = beside
                    .iter()
                    .filter_map(|(other, _)| places.get(*other))
                    .sum();
                #[expect(clippy::cast_precision_loss, reason = "places are few")]
                let middle = if beside.is_empty() {
                    at as f64
                } else {
                    sum as f64 / beside.len() as f64
                };
                (
                    ranks.items.get(*item).is_some_and(|item| item.backward),
                    middle,
                    *item,
                )
            })
            .collect();
        keyed.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        for (at, (_, _, item)) in keyed.iter().enumerate() {
            if let Some(place) = places.get_mut(*item) {
                *place = at;
            }
        }
        if as_written {
            keep_written(&mut keyed, ranks_nodes(&ranks.items));
            for (at, (_, _, item)) in keyed.iter().enumerate() {
                if let Some(place) = places.get_mut(*item) {
                    *place = at;
                }
            }
        }
        *order = keyed.into_iter().map(|(_, _, item)| item).collect();
    }
}

/// How many of the items are nodes; they come first.
fn ranks_nodes(items: &[RankedItem]) -> usize {
    items.iter().take_while(|item| item.node.is_some()).count()
}

/// Puts the nodes into the places of nodes in the order in which they are written.
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

/// How many pairs of links cross.
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

/// How many pairs stand the other way round on the right than on the left.
fn inversions(links: &mut [(usize, usize)]) -> usize {
    links.sort_unstable();
    let mut count = 0;
    for (at, (from, to)) in links.iter().enumerate() {
        count += links
            .iter()
            .skip(at + 1)
            .filter(|(other, end)| other > from && end < to)
            .count();
    }
    count
}
