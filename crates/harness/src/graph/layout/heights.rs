//! Positions items across the direction of the diagram: close to their neighbors in other ranks, in order, and without
//! overlaps.

use super::ranks::Ranks;

/// The number of positioning passes.
const PASSES: usize = 24;
/// The gap between two nodes, in pixels.
const GAP: f64 = 26.0;
/// The gap between an edge and its neighbor, in pixels.
const NARROW: f64 = 10.0;

/// Positions all items.
pub(super) fn heights(ranks: &mut Ranks) {
    for rank in 0..ranks.order.len() {
        settle(ranks, rank, |_, _| None);
    }
    let count = ranks.order.len();
    // A large diagram skips the first passes.
    for pass in PASSES - ranks.rounds(PASSES)..PASSES {
        for step in 0..count {
            let rank = if pass % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            settle(ranks, rank, |ranks, item| wanted(ranks, item, pass));
        }
    }
    // The last two passes straighten long edges, so that each bends only once, at its end.
    for rank in 0..count {
        settle(ranks, rank, |ranks, item| flat(ranks, item, false));
    }
    for rank in (0..count).rev() {
        settle(ranks, rank, |ranks, item| flat(ranks, item, true));
    }
}

/// The position that keeps an edge straight if it runs in this direction. All other items stay where they are.
fn flat(ranks: &Ranks, item: usize, backward: bool) -> Option<(f64, f64)> {
    let here = ranks.items.get(item)?;
    if here.node.is_some() || here.backward != backward {
        return Some((here.y, if here.node.is_some() { 40.0 } else { 4.0 }));
    }
    let previous = if backward { &ranks.right } else { &ranks.left };
    let (before, _) = previous.get(item)?.first()?;
    let before = ranks.items.get(*before)?;
    let near = before.node.is_none();
    Some((
        if near { before.y } else { here.y },
        if near { 8.0 } else { 4.0 },
    ))
}

/// The preferred position of an item, and its weight.
fn wanted(ranks: &Ranks, item: usize, pass: usize) -> Option<(f64, f64)> {
    let left = ranks.left.get(item).into_iter().flatten();
    let right = ranks.right.get(item).into_iter().flatten();
    // The first passes consider only one side, the last passes both sides.
    let both = pass >= PASSES / 2;
    let from_left = both || pass.is_multiple_of(2);
    let from_right = both || !pass.is_multiple_of(2);
    let adjacent = left
        .filter(|_| from_left)
        .chain(right.filter(|_| from_right));
    let mut sum = 0.0;
    let mut weights = 0.0;
    for (other, weight) in adjacent {
        if let Some(other) = ranks.items.get(*other) {
            // Backward edges are placed below everything else and must not pull other items down with them.
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

/// A block of items at the minimum distance from each other.
struct StackedItems {
    sum: f64,
    weight: f64,
    count: usize,
}

/// Positions the items of a rank as close as possible to their preferred positions.
///
/// Items whose preferred positions are too close form a block, which is placed at their weighted mean (pool adjacent
/// violators). Example: two items with a minimum distance of 6 prefer 10 and 4. So they prefer that their block starts
/// at 10 and at 4 - 6 = -2. It starts at 4, and they are placed at 4 and 10. If a block overlaps the previous block,
/// the two are merged.
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

/// Merges the last block into the previous one while it would start above that one.
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
