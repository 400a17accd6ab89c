//! Finds cycles of states that a dialogue would traverse within one turn.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use super::flow_plan::{StatePlan, StateShape};

/// The result of the search for cycles.
#[derive(Debug, Default)]
pub(super) struct CycleCheck {
    /// The branches to remove to break all cycles, as pairs of source and target.
    pub opened: Vec<(String, String)>,
    /// A state of a cycle without guards.
    pub closed: Option<String>,
}

/// A step within a turn: the target, and whether the step has a guard.
type Step<'p> = (&'p str, bool);

impl CycleCheck {
    /// Finds the cycles. Visits each state once.
    ///
    /// A step to a state of the current path closes a cycle: in `a → b → c → b` the path is `a b c`, and the cycle is
    /// `b c`. The last guarded step of the cycle is removed, because this keeps most of the cycle.
    pub(super) fn of(states: &IndexMap<String, StatePlan>) -> Self {
        let mut circles = Self::default();
        let mut done: FxHashSet<&str> = FxHashSet::default();
        for (begin, state) in states {
            if done.contains(&**begin) {
                continue;
            }
            // The states of the current path, each with its remaining steps and whether the step to it has a guard.
            let mut path = IndexMap::from([(&**begin, (steps(state), true))]);
            while let Some((_, (open, _))) = path.last_mut() {
                let Some((next, guarded)) = open.pop() else {
                    done.extend(path.pop().map(|(name, _)| name));
                    continue;
                };
                if let Some(start) = path.get_index_of(next) {
                    let taken = path
                        .iter()
                        .skip(start + 1)
                        .map(|(name, (_, guarded))| (*name, *guarded))
                        .chain([(next, guarded)]);
                    match path
                        .keys()
                        .skip(start)
                        .zip(taken)
                        .filter(|(_, (_, guarded))| *guarded)
                        .last()
                    {
                        Some((from, (to, _))) => {
                            circles.opened.push(((*from).to_owned(), to.to_owned()));
                        }
                        None => circles.closed = Some(next.to_owned()),
                    }
                } else if let Some(state) = states.get(next).filter(|_| !done.contains(next)) {
                    path.insert(next, (steps(state), guarded));
                }
            }
        }
        circles
    }
}

/// The steps from a state within one turn, in reverse order of evaluation.
fn steps(state: &StatePlan) -> Vec<Step<'_>> {
    match &state.shape {
        StateShape::Place => Vec::new(),
        StateShape::Choice(ways) => ways
            .iter()
            .map(|way| (&*way.then, !way.when.is_empty()))
            .collect(),
        StateShape::Parallel { regions, .. } => regions
            .iter()
            .map(|region| (&*region.initial, false))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::flow_plan::TransitionPlan;
    use crate::convert::statechart::GuardTerm;

    fn choice(way: Option<&str>, default: &str) -> StatePlan {
        let way = way.map(|then| TransitionPlan {
            when: vec![GuardTerm::holds("g")],
            then: then.to_owned(),
        });
        let ways = way.into_iter().chain([TransitionPlan::to(default)]);
        StatePlan {
            shape: StateShape::Choice(ways.collect()),
            ..StatePlan::default()
        }
    }

    fn circles(states: [(&str, StatePlan); 3]) -> CycleCheck {
        CycleCheck::of(
            &states
                .into_iter()
                .map(|(name, state)| (name.to_owned(), state))
                .collect(),
        )
    }

    #[test]
    fn a_cycle_is_broken_at_a_guard() {
        let found = circles([
            ("a", choice(Some("b"), "place")),
            ("b", choice(None, "a")),
            ("place", StatePlan::default()),
        ]);
        assert_eq!(found.opened, [("a".to_owned(), "b".to_owned())]);
        assert_eq!(found.closed, None);
    }

    #[test]
    fn a_cycle_without_guards_is_reported() {
        let found = circles([
            ("a", choice(None, "b")),
            ("b", choice(None, "c")),
            ("c", choice(None, "a")),
        ]);
        assert!(found.opened.is_empty());
        assert_eq!(found.closed.as_deref(), Some("a"));
    }
}
