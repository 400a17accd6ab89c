//! Circles of states that are passed at once.

use indexmap::IndexMap;

use super::flow_plan::{StatePlan, StateShape};

/// What is to be done about circles.
#[derive(Debug, Default)]
pub(super) struct Circles {
    /// The ways of choices without which there is no circle: from, to.
    pub(super) opened: Vec<(String, String)>,
    /// A state of a circle that no guard opens.
    pub(super) closed: Option<String>,
}

/// A step within a turn: where to, and whether only a guard leads there.
type Step<'p> = (&'p str, bool);

impl Circles {
    /// The circles of these states. Each state is looked at once.
    pub(super) fn of(states: &IndexMap<String, StatePlan>) -> Self {
        let mut circles = Self::default();
        let mut seen = vec![Visit::Never; states.len()];
        for begin in states.keys() {
            // The states on the path, each with the steps that are left, and whether the step to it has a guard.
            let mut path: Vec<(&str, Vec<Step<'_>>, bool)> = Vec::new();
            circles.enter(states, begin, true, &mut path, &mut seen);
            while let Some((name, steps, _)) = path.last_mut() {
                let name = *name;
                match steps.pop() {
                    Some((next, guarded)) => {
                        circles.enter(states, next, guarded, &mut path, &mut seen);
                    }
                    None => {
                        if let Some(visit) =
                            states.get_index_of(name).and_then(|at| seen.get_mut(at))
                        {
                            *visit = Visit::Over;
                        }
                        path.pop();
                    }
                }
            }
        }
        circles
    }

    /// Goes on to a state, unless it was looked at; where it is on the path, the circle is opened.
    fn enter<'p>(
        &mut self,
        states: &'p IndexMap<String, StatePlan>,
        next: &'p str,
        guarded: bool,
        path: &mut Vec<(&'p str, Vec<Step<'p>>, bool)>,
        seen: &mut [Visit],
    ) {
        let Some((at, _, state)) = states.get_full(next) else {
            return;
        };
        let Some(visit) = seen.get_mut(at) else {
            return;
        };
        match visit {
            Visit::Over => {}
            Visit::Never => {
                *visit = Visit::OnPath;
                path.push((next, steps(state), guarded));
            }
            Visit::OnPath => {
                let start = path
                    .iter()
                    .position(|(name, ..)| *name == next)
                    .unwrap_or_default();
                let circle: Vec<(&str, bool)> = path
                    .iter()
                    .skip(start + 1)
                    .map(|(name, _, guarded)| (*name, *guarded))
                    .chain([(next, guarded)])
                    .collect();
                let mut from = next;
                let mut way = None;
                for (to, guarded) in circle {
                    if guarded {
                        way = Some((from.to_owned(), to.to_owned()));
                    }
                    from = to;
                }
                match way {
                    Some(way) => self.opened.push(way),
                    None => self.closed = Some(next.to_owned()),
                }
            }
        }
    }
}

/// How far a state was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Never,
    OnPath,
    Over,
}

/// Where a state leads within the turn that comes to it. The last step is looked at first.
fn steps(state: &StatePlan) -> Vec<Step<'_>> {
    match &state.shape {
        StateShape::Place => Vec::new(),
        StateShape::Choice { ways, default } => ways
            .iter()
            .map(|way| (&*way.then, true))
            .chain([(&**default, false)])
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
    use crate::convert::chart::GuardTerm;
    use crate::convert::flow_plan::WayPlan;

    fn choice(way: Option<&str>, default: &str) -> StatePlan {
        let ways = way.map(|then| WayPlan {
            when: vec![GuardTerm::holds("g")],
            then: then.to_owned(),
        });
        let shape = StateShape::Choice {
            ways: ways.into_iter().collect(),
            default: default.to_owned(),
        };
        StatePlan {
            shape,
            ..StatePlan::default()
        }
    }

    fn circles(states: [(&str, StatePlan); 3]) -> Circles {
        Circles::of(
            &states
                .into_iter()
                .map(|(name, state)| (name.to_owned(), state))
                .collect(),
        )
    }

    #[test]
    fn a_circle_is_opened_where_a_guard_leads_on() {
        let found = circles([
            ("a", choice(Some("b"), "place")),
            ("b", choice(None, "a")),
            ("place", StatePlan::default()),
        ]);
        assert_eq!(found.opened, [("a".to_owned(), "b".to_owned())]);
        assert_eq!(found.closed, None);
    }

    #[test]
    fn a_circle_without_guards_is_closed() {
        let found = circles([
            ("a", choice(None, "b")),
            ("b", choice(None, "c")),
            ("c", choice(None, "a")),
        ]);
        assert!(found.opened.is_empty());
        assert_eq!(found.closed.as_deref(), Some("a"));
    }
}
