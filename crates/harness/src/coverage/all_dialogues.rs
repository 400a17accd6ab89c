//! Collects the coverage events of every dialogue that a machine allows.

use std::collections::BTreeSet;

use super::coverage_set::{CoverageEvent, CoverageSet};
use crate::limits::MAX_PROOF_TURNS;
use crate::scenario::TurnCollector;
use fsmsim_core::engine::{Machine, WatchEvent};
use fsmsim_core::machine::{Condition, ConditionId, ControlNode, RuleId, Target};
use fsmsim_search::search::{Bounds, SearchBound, SearchedModel, Space};
use fsmsim_syntax::threads::Threads;

/// The coverage events of every dialogue that a machine allows.
#[derive(Debug)]
pub(super) struct AllDialogues {
    pub states: usize,
    pub seen: CoverageSet,
    /// The conditions whose values the search does not decide.
    pub undecided: BTreeSet<ConditionId>,
    /// The rules that such conditions select.
    rules: BTreeSet<RuleId>,
}

impl AllDialogues {
    /// Searches all dialogues from the start, with the settings of the machine and at most this number of states.
    /// Returns the reason if other events can exist.
    pub(super) fn of(machine: &Machine, states: usize, threads: &Threads) -> Result<Self, String> {
        let read = machine.reads(machine.settings(), |_| false).conditions;
        let flag = read.iter().find_map(|id| match machine.conditions[*id] {
            Condition::Flag(flag) => Some(machine.names.flags.name(flag)),
            _ => None,
        });
        if let Some(flag) = flag {
            return Err(format!("a scenario can set the flag `{flag}`"));
        }
        let mut searched = SearchedModel::new(machine, machine.settings());
        if let Some(reason) = searched.loose.first().cloned() {
            return Err(reason.into());
        }
        let bounds = Bounds {
            states: Some(states),
            ..Bounds::default()
        };
        let space = Space::search(&mut searched, &bounds, threads, &mut |progress| {
            (progress.transitions > MAX_PROOF_TURNS).then_some(SearchBound::Turns)
        });
        if let Some(bound) = space.bound {
            return Err(format!("the search reached the bound `{}`", bound.name()));
        }
        let replay = space.replay(&searched, threads, CoverageSet::default, |seen, turn| {
            seen.turn(&turn.view);
        });
        if let Some(gap) = replay.gap {
            return Err(gap.into());
        }
        let mut seen = CoverageSet::default();
        for part in &replay.collected {
            seen.add(part);
        }
        let undecided = with_parts(machine, replay.unread);
        Ok(Self {
            states: space.len(),
            seen,
            rules: selected(machine, &undecided),
            undecided,
        })
    }

    /// Whether an event depends on a condition whose value the search does not decide.
    pub(super) fn is_undecided(&self, event: &CoverageEvent) -> bool {
        match event {
            CoverageEvent::Watched(WatchEvent::Condition(id, _) | WatchEvent::Decision(id, _)) => {
                self.undecided.contains(id)
            }
            CoverageEvent::Rule(rule)
            | CoverageEvent::Watched(WatchEvent::When(rule, _) | WatchEvent::Taken(rule)) => {
                self.rules.contains(rule)
            }
            _ => false,
        }
    }
}

/// Adds the parts of conditions: whether they are evaluated depends on the other parts.
fn with_parts(machine: &Machine, conditions: BTreeSet<ConditionId>) -> BTreeSet<ConditionId> {
    let mut all = BTreeSet::new();
    let mut open: Vec<ConditionId> = conditions.into_iter().collect();
    while let Some(id) = open.pop() {
        if !all.insert(id) {
            continue;
        }
        match &machine.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) => open.extend(parts.iter()),
            Condition::Not(part) => open.push(*part),
            Condition::Named(named) => open.push(machine.named_conditions[*named].condition),
            _ => {}
        }
    }
    all
}

/// The rules of alternatives and branches that one of these conditions selects.
fn selected(machine: &Machine, conditions: &BTreeSet<ConditionId>) -> BTreeSet<RuleId> {
    let mut rules = BTreeSet::new();
    for (_, state) in machine.declared_states() {
        let tables = state.rules.iter().chain(state.transitions.iter());
        let targets = state
            .targets()
            .into_iter()
            .filter_map(|target| match target {
                Target::Chain(chain) => Some(chain),
                _ => None,
            });
        for chain in tables.map(|(_, chain)| chain).chain(targets) {
            let ways = machine.alternatives(chain);
            let mut tests = ways.iter().filter_map(|way| way.when);
            if tests.any(|when| conditions.contains(&when)) {
                rules.extend(ways.iter().map(|way| way.rule));
            }
        }
        if let Some(ControlNode::Choice { ways, .. }) = state.node.as_deref()
            && ways.iter().any(|way| conditions.contains(&way.when))
        {
            rules.extend(ways.iter().map(|way| way.rule));
        }
    }
    rules
}
