//! How high things stand in their ranks: near what they are joined with, in order, and never on one another.

use super::ranks::Ranks;

/// How often the ranks are gone through.
const PASSES: usize = 24;
/// Between two nodes.
const GAP: f64 = 26.0;
/// Beside an edge.
const NARROW: f64 = 10.0;

/// Places all items from top to bottom.
pub(super) fn heights(ranks: &mut Ranks) {
    for rank in 0..ranks.order.len() {
        settle(ranks, rank, |_, _| None);
    }
    let count = ranks.order.len();
    for pass in 0..PASSES {
        for step in 0..count {
            let rank = if pass % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            settle(ranks, rank, |ranks, item| wanted(ranks, item, pass));
        }
    }
    // In the end long edges are flat, and bend once, where they arrive.
    for rank in 0..count {
        settle(ranks, rank, |ranks, item| flat(ranks, item, false));
    }
    for rank in (0..count).rev() {
        settle(ranks, rank, |ranks, item| flat(ranks, item, true));
    }
}

/// Where an edge that runs one way would go on straight; all else stays where it is.
fn flat(ranks: &Ranks, item: usize, backward: bool) -> Option<(f64, f64)> {
    let here = ranks.items.get(item)?;
    if here.node.is_some() || here.backward != backward {
        return Some((here.y, if here.node.is_some() { 40.0 } else { 4.0 }));
    }
    let behind = if backward { &ranks.right } else { &ranks.left };
    let (before, _) = behind.get(item)?.first()?;
    let before = ranks.items.get(*before)?;
    let near = before.node.is_none();
    Some((
        if near { before.y } else { here.y },
        if near { 8.0 } else { 4.0 },
    ))
}

/// Where an item would stand if it were alone, and how much that matters.
fn wanted(ranks: &Ranks, item: usize, pass: usize) -> Option<(f64, f64)> {
    let left = ranks.left.get(item).into_iter().flatten();
    let right = ranks.right.get(item).into_iter().flatten();
    // The first passes look one way only, the last both.
    let both = pass >= PASSES / 2;
    let (from_left, from_right) = (
        both || pass.is_multiple_of(2),
        both || !pass.is_multiple_of(2),
    );
    let beside = left
        .filter(|_| from_left)
        .chain(right.filter(|_| from_right));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (other, weight) in beside {
        if let Some(other) = ranks.items.get(*other) {
            // What runs backward hangs below; it pulls nothing down with it.
            let weight = if other.backward {
                weight * 0.05
            } else {
                *weight
            };
            sum += other.y * weight;
            weights += weight;
        }
    }
    (weights > 0.0).then(|| (sum / weights, weights))
}

/// A stretch of items that stand as close as they may.
struct StackedItems {
    sum: f64,
    weight: f64,
    count: usize,
}

/// Places the items of one rank as near as can be to where they want to stand.
///
/// Items whose wishes lie too close are joined to a block, which stands at the weighted mean of what they want (pool adjacent
/// violators). Two items, at least 6 apart, want 10 and 4: as the start of their block they want 10 and 4 - 6 = -2, so it
/// starts at 4, and they stand at 4 and 10. A block that then lies on the one above is joined with it, too.
fn settle(ranks: &mut Ranks, rank: usize, wanted: impl Fn(&Ranks, usize) -> Option<(f64, f64)>) {
    let Some(order) = ranks.order.get(rank).cloned() else {
        return;
    };
    let mut offsets = Vec::with_capacity(order.len());
    let mut blocks: Vec<StackedItems> = Vec::new();
    let mut offset = 0.0;
    let mut below: Option<(f64, bool)> = None;
    for number in &order {
        let Some(item) = ranks.items.get(*number) else {
            continue;
        };
        let is_node = item.node.is_some();
        if let Some((before, was_node)) = below {
            offset += before + item.above + if is_node && was_node { GAP } else { NARROW };
        }
        below = Some((item.below, is_node));
        offsets.push(offset);
        let (want, weight) = wanted(ranks, *number).unwrap_or((item.y.max(offset), 0.1));
        blocks.push(StackedItems {
            sum: (want - offset) * weight,
            weight,
            count: 1,
        });
        merge(&mut blocks);
    }
    let starts = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.sum / block.weight, block.count));
    for ((number, start), offset) in order.iter().zip(starts).zip(&offsets) {
        if let Some(item) = ranks.items.get_mut(*number) {
            item.y = start + offset;
        }
    }
}

/// Joins the last blocks as long as the lower one would stand above the upper one.
fn merge(blocks: &mut Vec<StackedItems>) {
    while let Some(last) = blocks.pop() {
        match blocks.last_mut() {
            Some(before) if before.sum / before.weight > last.sum / last.weight => {
                before.sum += last.sum;
                before.weight += last.weight;
                before.count += last.count;
            }
            _ => {
                blocks.push(last);
                return;
            }
        }
    }
}
