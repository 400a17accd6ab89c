//! The branches of a session, and what it remembers of the regions it left.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::engine::{Machine, Symbol};
use crate::machine::{
    BranchId, BranchPlan, ControlNode, Fork, IntentId, Routing, SlotId, StateId, Value,
};

/// The branches of a session, innermost fork last, and what it remembers of the regions it left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActiveBranches {
    /// The forks whose branches have not come together yet, outermost first.
    pub forks: Vec<OpenFork>,
    /// Their branches, in the order in which they were started.
    pub branches: Vec<Branch>,
    /// The branch to which the last turn belonged, as its place among the branches.
    pub current: Option<usize>,
    /// Turns that were given to branches one after the other.
    pub routed: u32,
    /// Where regions were left, by the number of the region's state.
    pub left: BTreeMap<StateId, StateId>,
}

/// A fork whose branches have not come together yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenFork {
    pub state: StateId,
    /// The branch inside which it was started.
    pub parent: Option<BranchId>,
    /// Turns since.
    pub turns: u32,
}

impl ActiveBranches {
    /// Whether branches are running.
    pub fn is_open(&self) -> bool {
        !self.forks.is_empty()
    }

    /// The branch to which the last turn belonged.
    pub fn current(&self) -> Option<&Branch> {
        self.branches.get(self.current?)
    }

    /// The same, for change.
    pub fn current_mut(&mut self) -> Option<&mut Branch> {
        self.branches.get_mut(self.current?)
    }

    /// The branches that take turns, by their places.
    pub fn active(&self) -> impl Iterator<Item = usize> + '_ {
        self.branches
            .iter()
            .enumerate()
            .filter(|(_, branch)| branch.status == Status::Active)
            .map(|(at, _)| at)
    }

    /// The branches of a fork.
    pub fn of(&self, fork: StateId) -> impl Iterator<Item = &Branch> {
        self.branches
            .iter()
            .filter(move |branch| branch.fork == fork)
    }

    /// The branch to which a turn with this intent belongs: the first whose fork says that it handles the intent, else by
    /// the routing of the innermost fork.
    pub fn route(&self, intent: Option<IntentId>, machine: &Machine) -> Option<usize> {
        let active: Vec<usize> = self.active().collect();
        let plan = |at: usize| plan_of(self.branches.get(at)?, machine);
        let handles = |at: &usize| {
            intent
                .zip(plan(*at))
                .is_some_and(|(intent, plan)| plan.handles.contains(&intent))
        };
        if let Some(at) = active.iter().find(|at| handles(at)) {
            return Some(*at);
        }
        let fork = self
            .forks
            .last()
            .and_then(|fork| fork_at(fork.state, machine));
        match fork.map(|fork| fork.routing).unwrap_or_default() {
            Routing::RoundRobin => {
                let turn = (self.routed as usize).checked_rem(active.len())?;
                active.get(turn).copied()
            }
            Routing::FirstMatch => active.first().copied(),
            Routing::Priority => {
                let priority = |at: &usize| plan(*at).map_or(0, |plan| plan.priority);
                // Of equal ones the first.
                active.iter().rev().max_by_key(|at| priority(at)).copied()
            }
        }
    }

    /// Drops all branches, and gives those that were still running.
    pub fn leave(&mut self) -> Vec<Branch> {
        self.forks.clear();
        self.current = None;
        let branches = std::mem::take(&mut self.branches);
        branches
            .into_iter()
            .filter(|branch| !branch.status.is_over())
            .collect()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps where a region was left.
    pub fn remember(&mut self, region: StateId, state: StateId) {
        self.left.insert(region, state);
    }

    /// Where a region was left; it is forgotten with that.
    pub fn recall(&mut self, region: StateId) -> Option<StateId> {
        self.left.remove(&region)
    }
}

/// The fork of a state, where it is one.
pub(crate) fn fork_at(state: StateId, machine: &Machine) -> Option<&Fork> {
    match machine.state(state).node.as_deref() {
        Some(ControlNode::Fork(fork)) => Some(fork),
        _ => None,
    }
}

/// A branch as it is written.
fn plan_of<'m>(branch: &Branch, machine: &'m Machine) -> Option<&'m BranchPlan> {
    fork_at(branch.fork, machine)?
        .branches
        .iter()
        .find(|plan| plan.id == branch.id)
}

/// A branch of a fork, or a region of a parallel state, while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Its name.
    pub id: BranchId,
    /// The fork that started it.
    pub fork: StateId,
    /// Where it is; a branch that was skipped is nowhere.
    pub state: Option<StateId>,
    /// How far it came.
    pub status: Status,
    /// What the turns that belonged to it brought.
    pub data: Vec<(Symbol<SlotId>, Value)>,
    /// Where it returns to after an objection.
    pub return_state: Option<StateId>,
}

/// How far a branch came.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// It takes turns.
    Active,
    /// It started branches of its own and waits for them.
    Waiting,
    /// It has come to its end.
    Completed,
    /// Its condition did not hold, so it never started.
    Skipped,
}

impl Status {
    /// All of them.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether nobody has to wait for it any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

impl Branch {
    /// A branch that starts, or is skipped.
    pub fn new(plan: &BranchPlan, fork: StateId, starts: bool) -> Self {
        Self {
            id: plan.id,
            fork,
            state: starts.then_some(plan.start),
            status: if starts {
                Status::Active
            } else {
                Status::Skipped
            },
            data: Vec::new(),
            return_state: None,
        }
    }

    /// Adds data; a value that is known already is replaced.
    pub fn collect(&mut self, name: &Symbol<SlotId>, value: &Value) {
        match self.data.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => self.data.push((name.clone(), value.clone())),
        }
    }
}
