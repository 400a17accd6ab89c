//! The fewest dialogues that cover the same goals.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::{MAX_COVER_STEPS, MAX_EXACT_COVER};

/// The search for the smallest sufficient set.
struct SmallestCover<'s> {
    sets: &'s [BTreeSet<u32>],
    /// The sets with each goal.
    by_goal: BTreeMap<u32, Vec<usize>>,
    /// The size of the largest set.
    largest: usize,
    best: Vec<usize>,
    steps: usize,
}

/// The indexes of sets that together have all goals, in ascending order. With `most`, those of at most this number of
/// sets that together have many goals.
pub(super) fn fewest(sets: &[BTreeSet<u32>], most: Option<usize>) -> Vec<usize> {
    let mut chosen = without_redundant(sets);
    if sets.len() <= MAX_EXACT_COVER {
        let mut by_goal: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, set) in sets.iter().enumerate() {
            for goal in set {
                by_goal.entry(*goal).or_default().push(index);
            }
        }
        let open: BTreeSet<u32> = by_goal.keys().copied().collect();
        let mut cover = SmallestCover {
            sets,
            by_goal,
            largest: sets.iter().map(BTreeSet::len).max().unwrap_or(0),
            best: chosen,
            steps: 0,
        };
        cover.search(&open, &mut Vec::new());
        chosen = cover.best;
    }
    if let Some(most) = most.filter(|most| chosen.len() > *most) {
        chosen = richest(sets, &chosen, most);
    }
    chosen.sort_unstable();
    chosen
}

/// The sets without those whose goals the others have. Later sets are dropped first, because earlier ones were planned
/// with more open goals.
fn without_redundant(sets: &[BTreeSet<u32>]) -> Vec<usize> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for goal in sets.iter().flatten() {
        *counts.entry(*goal).or_default() += 1;
    }
    let mut kept = Vec::new();
    for (index, set) in sets.iter().enumerate().rev() {
        if set.iter().any(|goal| counts.get(goal) == Some(&1)) {
            kept.push(index);
            continue;
        }
        for goal in set {
            if let Some(count) = counts.get_mut(goal) {
                *count -= 1;
            }
        }
    }
    kept
}

/// At most this number of the chosen sets: each one adds the most goals.
fn richest(sets: &[BTreeSet<u32>], chosen: &[usize], most: usize) -> Vec<usize> {
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut picked: Vec<usize> = Vec::new();
    while picked.len() < most {
        let rest = chosen.iter().filter(|index| !picked.contains(index));
        let added = |index: &usize| {
            sets.get(*index)
                .map_or(0, |set| set.difference(&seen).count())
        };
        // Of several sets, the first one.
        let Some(next) = rest.copied().rev().max_by_key(added) else {
            break;
        };
        seen.extend(sets.get(next).into_iter().flatten());
        picked.push(next);
    }
    picked
}

impl SmallestCover<'_> {
    /// Completes the chosen sets in every way that can be better than the best one, for a bounded number of steps.
    fn search(&mut self, open: &BTreeSet<u32>, chosen: &mut Vec<usize>) {
        let sets = |goal: &u32| self.by_goal.get(goal).map_or(&[][..], Vec::as_slice);
        let Some(rarest) = open.iter().min_by_key(|goal| sets(goal).len()) else {
            if chosen.len() < self.best.len() {
                self.best.clone_from(chosen);
            }
            return;
        };
        self.steps += 1;
        let least = open.len().div_ceil(self.largest.max(1));
        if self.steps > MAX_COVER_STEPS || chosen.len() + least >= self.best.len() {
            return;
        }
        let mut candidates: Vec<(usize, BTreeSet<u32>)> = sets(rarest)
            .iter()
            .filter_map(|index| {
                let rest = open.difference(self.sets.get(*index)?);
                Some((*index, rest.copied().collect()))
            })
            .collect();
        candidates.sort_by_key(|(_, rest)| rest.len());
        for (index, rest) in candidates {
            chosen.push(index);
            self.search(&rest, chosen);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(all: &[&[u32]]) -> Vec<BTreeSet<u32>> {
        all.iter()
            .map(|set| set.iter().copied().collect())
            .collect()
    }

    #[test]
    fn fewest_sets_cover_all_goals() {
        // Dropping redundant sets from the end leaves three of them.
        let sets = sets(&[&[1, 2], &[3, 4], &[5, 6], &[1, 3, 5], &[2, 4, 6]]);
        assert_eq!(without_redundant(&sets).len(), 3);
        assert_eq!(fewest(&sets, None), [3, 4]);
    }

    #[test]
    fn limit_keeps_the_sets_with_most_goals() {
        let sets = sets(&[&[1], &[2, 3, 4], &[5, 6]]);
        assert_eq!(fewest(&sets, Some(2)), [1, 2]);
        assert_eq!(fewest(&[], None), [0_usize; 0]);
    }
}
