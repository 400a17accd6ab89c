//! Collects the coverage events of every dialogue that a machine allows.

use std::collections::BTreeSet;

use super::coverage_set::{CoverageEvent, CoverageSet};
use crate::limits::MAX_PROOF_TURNS;
use crate::scenario::TurnCollector;
use fsmsim_core::engine::{Machine, RecordView, WatchEvent};
use fsmsim_core::machine::{Condition, ConditionId, ControlNode, RuleId, Target};
use fsmsim_search::search::{Bounds, ReplayedTurn, SearchBound, SearchedModel, Space};
use fsmsim_syntax::threads::Threads;

/// The coverage events of every dialogue that a machine allows.
#[derive(Debug)]
pub(crate) struct AllDialogues {
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
    pub(crate) fn of(machine: &Machine, states: usize, threads: &Threads) -> Result<Self, String> {
        let mut searched = SearchedModel::new(machine, machine.settings());
        if let Some(reason) = untried(machine, &searched) {
            return Err(reason);
        }
        let bounds = Bounds {
            states: Some(states),
            ..Bounds::default()
        };
        let space = Space::search(&mut searched, &bounds, threads, &mut |progress| {
            (progress.transitions > MAX_PROOF_TURNS).then_some(SearchBound::Turns)
        });
        if let Some(reason) = reached_bound(&space) {
            return Err(reason);
        }
        let add = |seen: &mut CoverageSet, line: &RecordView<'_>, _: ReplayedTurn<'_>| {
            seen.turn(line);
        };
        let replay = space.replay(&searched, threads, CoverageSet::default, add);
        let mut seen = CoverageSet::default();
        for part in &replay.collected {
            seen.add(part);
        }
        Self::played(machine, &space, seen, (replay.gap, replay.unread))
    }

    /// The events of a search whose turns were played again. `gap` and `unread` are those of the [`Replay`].
    ///
    /// [`Replay`]: fsmsim_search::search::Replay
    pub(crate) fn played(
        machine: &Machine,
        space: &Space,
        seen: CoverageSet,
        (gap, unread): (Option<Box<str>>, BTreeSet<ConditionId>),
    ) -> Result<Self, String> {
        if let Some(gap) = gap {
            return Err(gap.into());
        }
        let undecided = with_parts(machine, unread);
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

/// Why a search does not try all dialogues.
pub(crate) fn untried(machine: &Machine, searched: &SearchedModel<'_>) -> Option<String> {
    let read = machine.reads(machine.settings(), |_| false).conditions;
    let flag = read.iter().find_map(|id| match machine.conditions[*id] {
        Condition::Flag(flag) => Some(machine.names.flags.name(flag)),
        _ => None,
    });
    let flag = flag.map(|flag| format!("a scenario can set the flag `{flag}`"));
    flag.or_else(|| searched.loose.first().cloned().map(String::from))
}

/// The bound that ended a search.
pub(crate) fn reached_bound(space: &Space) -> Option<String> {
    let bound = space.bound?.name();
    Some(format!("the search reached the bound `{bound}`"))
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
