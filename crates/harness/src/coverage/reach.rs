//! Proves which items of a machine are unreachable.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::limits::MAX_CONDITION_DEPTH;
use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::{ChainId, Condition, ConditionId, IdVec, IntentId, StateId};

/// Whether an item is reachable.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// It is not proven to be unreachable.
    #[default]
    Possible,
    /// No definition leads to it, but dialogues may still get there, for example through an assistant.
    Unknown,
    /// It is unreachable, for this reason.
    Never(String),
    /// A complete search with this number of states does not reach it.
    Unattainable(usize),
}

impl Reach {
    /// The reachability of an item that also requires another item.
    pub fn with(self, other: &Self) -> Self {
        match (&self, other) {
            (Self::Never(_), _)
            | (Self::Unknown, Self::Possible | Self::Unknown)
            | (Self::Possible, Self::Possible) => self,
            _ => other.clone(),
        }
    }

    /// The reachability of an item that can also be reached in another way.
    pub fn or(self, other: Self) -> Self {
        self.min(other)
    }
}

/// The possible results of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// It can hold.
    pub holds: bool,
    /// It can fail: it is false or has no value.
    pub fails: bool,
    /// It can have no value.
    errs: bool,
}

impl Outcomes {
    const ANY: Self = Self {
        holds: true,
        fails: true,
        errs: true,
    };
    const ALWAYS: Self = Self {
        holds: true,
        fails: false,
        errs: false,
    };
    const NEVER: Self = Self {
        holds: false,
        fails: true,
        errs: false,
    };

    fn when(holds: bool) -> Self {
        if holds { Self::ALWAYS } else { Self::NEVER }
    }
}

/// The states of a machine, and whether each one is reachable.
pub(super) struct ProvenReach<'m> {
    machine: &'m Machine,
    states: IdVec<StateId, Reach>,
}

impl<'m> ProvenReach<'m> {
    /// Computes which states are reachable from the initial state or from one of the states in `begun`.
    pub(super) fn of(machine: &'m Machine, begun: &BTreeSet<StateId>) -> Self {
        let graph = StateGraph::of(machine);
        let (reached, anywhere) = graph.led_to(machine, begun.iter().copied());
        // If nodes are treated as plain states, or an assistant can go to any state, the targets are unknown.
        let is_open = anywhere
            || machine.well_known.unused_node.is_some()
            || machine.policies.inputs().navigation;
        let mut states = IdVec::filled(machine.states.len(), Reach::Possible);
        for (id, _) in machine.states.pairs().filter(|(id, _)| !reached[*id]) {
            states[id] = if is_open {
                Reach::Unknown
            } else {
                Reach::Never(format!(
                    "no path reaches the state `{}`",
                    machine.names.states.name(id)
                ))
            };
        }
        Self { machine, states }
    }

    /// Whether a state is reachable.
    pub(super) fn state(&self, id: StateId) -> Reach {
        self.states.lookup(id).cloned().unwrap_or_default()
    }

    /// Whether a definition in a state can decide a turn. With `intent`: whether it can decide a turn with this intent.
    pub(super) fn inside(&self, id: StateId, intent: Option<IntentId>) -> Reach {
        let state = self.machine.state(id);
        let reopens = |intent| self.machine.reopens(id, intent);
        let is_open = match intent {
            Some(intent) => reopens(intent),
            None => state.transitions.iter().any(|(intent, _)| reopens(intent)),
        };
        if state.is_final && self.machine.settings().switches.final_state && !is_open {
            let name = self.machine.names.states.name(id);
            return Reach::Never(format!("the dialogue ends in `{name}`"));
        }
        self.state(id)
    }

    /// For each alternative of a chain, the possible results of its condition, and whether the alternative is reachable.
    pub(super) fn chain(&self, chain: ChainId, state: StateId) -> Vec<(Outcomes, Reach)> {
        let mut open = Reach::Possible;
        let mut found = Vec::new();
        for (alternative, number) in self.machine.alternatives(chain).iter().zip(1..) {
            let outcomes = alternative
                .when
                .map_or(Outcomes::ALWAYS, |when| self.outcomes(when, Some(state)));
            found.push((outcomes, open.clone()));
            if !outcomes.fails && open == Reach::Possible {
                open = Reach::Never(format!("alternative {number} before it always applies"));
            }
        }
        found
    }

    /// The possible results of a condition, in a specific state if one is known.
    pub(super) fn outcomes(&self, condition: ConditionId, state: Option<StateId>) -> Outcomes {
        self.evaluate(condition, state, MAX_CONDITION_DEPTH, &mut BTreeMap::new())
    }

    /// The possible results of a condition. `seen` contains the results so far, because many conditions can refer to
    /// the same one.
    fn evaluate(
        &self,
        condition: ConditionId,
        state: Option<StateId>,
        depth: usize,
        seen: &mut BTreeMap<ConditionId, Outcomes>,
    ) -> Outcomes {
        let Some(depth) = depth.checked_sub(1) else {
            return Outcomes::ANY;
        };
        if let Some(outcomes) = seen.get(&condition) {
            return *outcomes;
        }
        let mut evaluate = |part: &ConditionId| self.evaluate(*part, state, depth, seen);
        let outcomes = match self.machine.conditions.lookup(condition) {
            Some(Condition::Named(named)) => self
                .machine
                .named_conditions
                .lookup(*named)
                .map_or(Outcomes::ANY, |named| evaluate(&named.condition)),
            Some(Condition::And(parts)) => {
                parts
                    .iter()
                    .map(evaluate)
                    .fold(Outcomes::ALWAYS, |all, part| Outcomes {
                        holds: all.holds && part.holds,
                        fails: all.fails || part.fails,
                        errs: all.errs || part.errs,
                    })
            }
            Some(Condition::Or(parts)) => {
                let some = parts
                    .iter()
                    .map(evaluate)
                    .fold(Outcomes::NEVER, |some, part| Outcomes {
                        holds: some.holds || part.holds,
                        fails: some.fails && part.fails,
                        errs: some.errs || part.errs,
                    });
                Outcomes {
                    fails: some.fails || some.errs,
                    ..some
                }
            }
            // The negation of a condition without a value has no value either.
            Some(Condition::Not(part)) => {
                let part = evaluate(part);
                Outcomes {
                    holds: part.fails,
                    fails: part.holds || part.errs,
                    errs: part.errs,
                }
            }
            Some(Condition::Broken(_)) => Outcomes {
                holds: false,
                fails: true,
                errs: true,
            },
            Some(Condition::Category(None)) => Outcomes::NEVER,
            Some(Condition::Intents(intents)) if intents.is_empty() => Outcomes::NEVER,
            Some(Condition::States(states) | Condition::From(states)) => match state {
                Some(state) => Outcomes::when(states.contains(&state)),
                None if states.is_empty() => Outcomes::NEVER,
                None => Outcomes::ANY,
            },
            _ => Outcomes::ANY,
        };
        seen.insert(condition, outcomes);
        outcomes
    }
}
