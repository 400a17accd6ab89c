//! The branches of a session, and the history of its regions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::engine::{Machine, Reads, ReturnStack, Settings, Symbol};
use crate::machine::{
    BranchId, BranchPlan, ControlNode, Fork, IntentId, Routing, SlotId, StateId, Value,
};

/// The branches of a session, innermost fork last, and the history of its regions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActiveBranches {
    /// The forks whose branches have not joined yet, outermost first.
    pub forks: Vec<OpenFork>,
    /// The branches of the open forks, in the order in which they were started.
    pub branches: Vec<Branch>,
    /// The index of the branch that the last turn belonged to.
    pub current: Option<usize>,
    /// The number of turns of branches since the last fork.
    pub routed: u32,
    /// The index of the branch after which round robin continues.
    pub served: Option<usize>,
    /// The saved states of exited regions.
    pub left: BTreeMap<StateId, StateId>,
}

/// A fork whose branches have not joined yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpenFork {
    pub state: StateId,
    /// The branch in which the fork was started.
    pub parent: Option<BranchId>,
    /// The number of turns since the start of the fork.
    pub turns: u32,
}

impl ActiveBranches {
    /// Whether branches are running.
    pub fn is_open(&self) -> bool {
        !self.forks.is_empty()
    }

    /// The branch that the last turn belonged to.
    pub fn current(&self) -> Option<&Branch> {
        self.branches.get(self.current?)
    }

    /// The mutable branch that the last turn belonged to.
    pub fn current_mut(&mut self) -> Option<&mut Branch> {
        self.branches.get_mut(self.current?)
    }

    /// The indices of the active branches.
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

    /// The branch that round robin selects: the next active one, in the order of the branches.
    pub fn next_in_turn(&self) -> Option<usize> {
        let next = self.active().find(|at| Some(*at) > self.served);
        next.or_else(|| self.active().next())
    }

    /// The branch for a turn with this intent: the first that handles the intent, otherwise the one that the routing of
    /// the innermost fork selects. `in_turn` is the switch `round_robin`.
    pub fn route(
        &self,
        intent: Option<IntentId>,
        machine: &Machine,
        in_turn: bool,
    ) -> Option<usize> {
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
            Routing::RoundRobin if in_turn => self.next_in_turn(),
            Routing::RoundRobin => {
                let turn = (self.routed as usize).checked_rem(active.len())?;
                active.get(turn).copied()
            }
            Routing::FirstMatch => active.first().copied(),
            Routing::Priority => {
                let priority = |at: &usize| plan(*at).map_or(0, |plan| plan.priority);
                // Among equal priorities, the first branch is used.
                active.iter().rev().max_by_key(|at| priority(at)).copied()
            }
        }
    }

    /// Drops all branches, and returns those that were still running.
    pub fn leave(&mut self) -> Vec<Branch> {
        self.forks.clear();
        self.current = None;
        std::mem::take(&mut self.branches)
            .into_iter()
            .filter(|branch| !branch.status.is_over())
            .collect()
    }

    /// Clears what no reader reads: turns of forks that never time out, and data that no join stores.
    pub(crate) fn reduce(&mut self, reads: &Reads, machine: &Machine, settings: &Settings) {
        for open in &mut self.forks {
            let late = fork_at(open.state, machine).map(|fork| {
                let join = match machine.state(fork.join_at).node.as_deref() {
                    Some(ControlNode::Join(join)) => join.condition,
                    _ => None,
                };
                let timeouts = [fork.condition, join].into_iter().flatten();
                timeouts
                    .filter_map(|condition| condition.timeout)
                    .max()
                    .unwrap_or(0)
            });
            open.turns = open.turns.min(late.unwrap_or(0));
        }
        // With at most six branches, a multiple of 60 turns leads to the same branch.
        self.routed = if settings.switches.round_robin || self.branches.len() > 6 {
            self.routed * u32::from(!settings.switches.round_robin)
        } else {
            self.routed % 60
        };
        let results = machine.well_known.branch_results;
        let all = results.is_some_and(|slot| reads.slots.contains_key(&slot));
        for branch in &mut self.branches {
            let is_read = |name: &Symbol<SlotId>| {
                let slot = name.known();
                all || slot.is_some_and(|slot| reads.slots.contains_key(&slot))
            };
            branch.data.retain(|(name, _)| is_read(name));
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Saves the state of an exited region.
    pub fn remember(&mut self, region: StateId, state: StateId) {
        self.left.insert(region, state);
    }

    /// Returns and removes the saved state of a region.
    pub fn recall(&mut self, region: StateId) -> Option<StateId> {
        self.left.remove(&region)
    }
}

/// The fork at a state, if the state is one.
pub(crate) fn fork_at(state: StateId, machine: &Machine) -> Option<&Fork> {
    match machine.state(state).node.as_deref() {
        Some(ControlNode::Fork(fork)) => Some(fork),
        _ => None,
    }
}

/// The definition of a branch.
fn plan_of<'m>(branch: &Branch, machine: &'m Machine) -> Option<&'m BranchPlan> {
    fork_at(branch.fork, machine)?
        .branches
        .iter()
        .find(|plan| plan.id == branch.id)
}

/// A running branch of a fork, or a region of a parallel state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    pub id: BranchId,
    /// The fork that started the branch.
    pub fork: StateId,
    /// The current state; `None` if the branch was skipped.
    pub state: Option<StateId>,
    /// The progress of the branch.
    pub status: Status,
    /// The slot values from the turns of the branch.
    pub data: Vec<(Symbol<SlotId>, Value)>,
    /// The return states of the branch.
    pub returns: ReturnStack,
}

/// The progress of a branch.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    /// The branch takes turns.
    Active,
    /// The branch started other branches and waits for them.
    Waiting,
    /// The branch has completed.
    Completed,
    /// The condition of the branch did not hold, so the branch never started.
    Skipped,
}

impl Status {
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a join no longer waits for the branch.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }
}

impl Branch {
    /// Creates a branch that starts or is skipped.
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
            returns: ReturnStack::default(),
        }
    }

    /// Adds a slot value; an earlier value is replaced.
    pub fn collect(&mut self, name: &Symbol<SlotId>, value: &Value) {
        match self.data.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => self.data.push((name.clone(), value.clone())),
        }
    }
}
