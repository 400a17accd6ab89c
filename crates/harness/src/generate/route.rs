//! Walks through the states of a search, from one covering turn to the nearest other one.

use std::collections::{BTreeMap, BTreeSet};

use super::covering_turns::CoveringTurn;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_search::search::{SearchedModel, Space};

/// The covering turns of a search by the state in which they start.
pub(super) struct RoutePlanner<'s> {
    space: &'s Space,
    searched: &'s SearchedModel<'s>,
    /// For each state, the turns and the numbers of the goals that each of them meets.
    turns: BTreeMap<u32, Vec<(&'s CoveringTurn, &'s BTreeSet<usize>)>>,
    /// The maximum number of turns of a scenario.
    limit: usize,
}

impl<'s> RoutePlanner<'s> {
    pub(super) fn new(
        space: &'s Space,
        searched: &'s SearchedModel<'s>,
        covering: impl Iterator<Item = (&'s CoveringTurn, &'s BTreeSet<usize>)>,
        limit: usize,
    ) -> Self {
        let mut turns: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (turn, met) in covering {
            turns.entry(turn.from).or_default().push((turn, met));
        }
        Self {
            space,
            searched,
            turns,
            limit,
        }
    }

    /// The turns of a dialogue that meets some of the needed goals, and those that it meets. Empty if no turn
    /// within the limit meets one.
    pub(super) fn walk(&self, needed: &BTreeSet<usize>) -> (Vec<ScriptedTurn>, BTreeSet<usize>) {
        let mut needed = needed.clone();
        let mut turns = Vec::new();
        let mut met = BTreeSet::new();
        let mut at = Some(0);
        while let Some(from) = at
            && let Some((path, next)) = self.nearest(from, self.limit - turns.len(), &needed)
        {
            turns.extend(path);
            turns.push(next.0.turn.clone());
            met.extend(next.1.intersection(&needed));
            needed.retain(|goal| !next.1.contains(goal));
            at = next.0.to;
        }
        (turns, met)
    }

    /// The shortest path to a turn that meets needed goals, and the turn. Of the nearest turns, it is the one
    /// that meets most.
    #[expect(clippy::type_complexity, reason = "a path and its last turn")]
    fn nearest(
        &self,
        from: u32,
        limit: usize,
        needed: &BTreeSet<usize>,
    ) -> Option<(Vec<ScriptedTurn>, (&CoveringTurn, &BTreeSet<usize>))> {
        // Each visited state, with the state before it and the turn between them.
        let mut visited: BTreeMap<u32, Option<(u32, usize)>> = BTreeMap::from([(from, None)]);
        let mut level = vec![from];
        for _ in 0..limit {
            let here = level
                .iter()
                .filter_map(|state| self.turns.get(state))
                .flatten();
            let mut best: Option<(usize, &CoveringTurn, &BTreeSet<usize>)> = None;
            for (turn, met) in here {
                let count = met.intersection(needed).count();
                if count > 0 && best.is_none_or(|(most, ..)| count > most) {
                    best = Some((count, *turn, *met));
                }
            }
            if let Some((_, turn, met)) = best {
                return Some((self.path(turn.from, &visited), (turn, met)));
            }
            let mut next = Vec::new();
            for state in level {
                for (number, to) in self.space.successors(state).enumerate() {
                    visited.entry(to).or_insert_with(|| {
                        next.push(to);
                        Some((state, number))
                    });
                }
            }
            level = next;
        }
        None
    }

    /// The turns on the path to a visited state.
    fn path(&self, to: u32, visited: &BTreeMap<u32, Option<(u32, usize)>>) -> Vec<ScriptedTurn> {
        let mut turns = Vec::new();
        let mut at = to;
        while let Some(Some((before, number))) = visited.get(&at) {
            turns.extend(self.space.scripted(self.searched, *before, *number));
            at = *before;
        }
        turns.reverse();
        turns
    }
}
