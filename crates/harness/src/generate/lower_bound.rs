//! The number of scenarios that any complete set has at least.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::dialogue_graph::DialogueGraph;
use crate::limits::MAX_BOUND_TURNS;
use fsmsim_syntax::diagnostic::plural;

/// The number of scenarios that any set with the same coverage has at least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LowerBound {
    pub scenarios: usize,
    pub reason: String,
}

/// The number of turns after which a dialogue is in each state; `None` if it cannot be.
type Distances = Vec<Option<usize>>;

impl LowerBound {
    /// Computes the bound for dialogues with this number of turns, or with as many as the farthest item needs. `None`
    /// if the search does not know all turns.
    pub(super) fn of(graph: &DialogueGraph<'_>, turns: usize) -> Option<Self> {
        let is_known = |(_, to): &(u32, Option<u32>)| to.is_some();
        let mut places = graph.places.values().flatten();
        if graph.space.bound.is_some() || !places.all(is_known) {
            return None;
        }
        let start = distances(graph, [(0, 0)], usize::MAX);
        let first = |item: &u32| {
            let places = graph.places.get(item).into_iter().flatten();
            places
                .filter_map(|(from, _)| at(&start, *from))
                .min()
                .map_or(usize::MAX, |before| before + 1)
        };
        let firsts: BTreeMap<u32, usize> = graph
            .places
            .keys()
            .map(|item| (*item, first(item)))
            .collect();
        let most = firsts.values().copied().fold(turns, usize::max);
        let by_turns = by_turns(graph, &firsts, most);
        let by_pairs = by_pairs(graph, &start, most);
        let shown = plural(most, "turn");
        let bound = match by_pairs {
            Some(apart) if apart >= by_turns.0.max(2) => Self {
                scenarios: apart,
                reason: format!(
                    "{}, no two of which share a dialogue of {shown}",
                    plural(apart, "item")
                ),
            },
            _ => Self {
                scenarios: by_turns.0,
                reason: format!(
                    "a dialogue of {shown} covers at most {} of {}",
                    by_turns.1,
                    plural(by_turns.2, "item")
                ),
            },
        };
        Some(bound)
    }
}

/// The bound from items of which each turn covers at most one: the bound, the maximum number of these items that one
/// dialogue covers, and their number.
fn by_turns(
    graph: &DialogueGraph<'_>,
    firsts: &BTreeMap<u32, usize>,
    most: usize,
) -> (usize, usize, usize) {
    let mut together: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for shown in &graph.shown {
        for item in shown {
            together.entry(*item).or_default().extend(shown);
        }
    }
    let mut items: Vec<u32> = together.keys().copied().collect();
    items.sort_by_key(|item| together.get(item).map_or(0, BTreeSet::len));
    let mut apart: BTreeSet<u32> = BTreeSet::new();
    for item in items {
        if together
            .get(&item)
            .is_none_or(|others| others.is_disjoint(&apart))
        {
            apart.insert(item);
        }
    }
    let first = apart.iter().filter_map(|item| firsts.get(item)).min();
    let of_one = most
        .saturating_sub(first.map_or(0, |first| first - 1))
        .max(1);
    (
        apart.len().div_ceil(of_one),
        of_one.min(apart.len()),
        apart.len(),
    )
}

/// The number of items no two of which share a dialogue; `None` if there are too many turns to follow.
fn by_pairs(graph: &DialogueGraph<'_>, start: &[Option<usize>], most: usize) -> Option<usize> {
    let edges: usize = graph.next.iter().map(Vec::len).sum();
    if edges.saturating_mul(graph.places.len()) > MAX_BOUND_TURNS {
        return None;
    }
    let mut shared: BTreeSet<(u32, u32)> = BTreeSet::new();
    for shown in &graph.shown {
        shared.extend(
            shown
                .iter()
                .flat_map(|one| shown.iter().map(move |other| (*one, *other))),
        );
    }
    for (one, places) in &graph.places {
        let after = places.iter().filter_map(|(from, to)| {
            let before = at(start, *from)?;
            Some(((*to)?, before + 1))
        });
        let after = distances(graph, after, most);
        for (other, places) in &graph.places {
            let mut before = places.iter().filter_map(|(from, _)| at(&after, *from));
            if before.any(|before| before < most) {
                shared.extend([(*one, *other), (*other, *one)]);
            }
        }
    }
    let items: BTreeSet<u32> = graph.places.keys().copied().collect();
    let is_apart = |one: &u32, other: &u32| !shared.contains(&(*one, *other));
    let conflicts = |one: &u32| items.iter().filter(|other| is_apart(one, other)).count();
    let mut ordered: Vec<(usize, u32)> =
        items.iter().map(|item| (conflicts(item), *item)).collect();
    ordered.sort_by_key(|(conflicts, _)| std::cmp::Reverse(*conflicts));
    let mut apart: Vec<u32> = Vec::new();
    for (_, item) in ordered {
        if apart.iter().all(|other| is_apart(&item, other)) {
            apart.push(item);
        }
    }
    Some(apart.len())
}

fn at(distances: &[Option<usize>], state: u32) -> Option<usize> {
    distances.get(state as usize).copied().flatten()
}

/// The smallest number of turns of a dialogue in each state, from states with known numbers, up to a maximum.
fn distances(
    graph: &DialogueGraph<'_>,
    from: impl IntoIterator<Item = (u32, usize)>,
    most: usize,
) -> Distances {
    let mut layers: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (state, turns) in from {
        layers.entry(turns).or_default().push(state);
    }
    let mut found: Distances = vec![None; graph.next.len()];
    while let Some((turns, states)) = layers.pop_first() {
        if turns > most {
            break;
        }
        for state in states {
            match found.get_mut(state as usize) {
                Some(known) if known.is_none() => *known = Some(turns),
                _ => continue,
            }
            let next = graph.next.get(state as usize).into_iter().flatten();
            let open = next.filter(|to| at(&found, **to).is_none());
            layers.entry(turns + 1).or_default().extend(open);
        }
    }
    found
}
