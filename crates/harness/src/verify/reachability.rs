//! Where a turn of a model may lead, worked out once.

use crate::limits::MAX_REGION_DEPTH;
use std::sync::Arc;

use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::{ControlNode, Id, IdVec, StateId, Target};

/// Where a turn of a model may lead from each of its states, whatever the conditions are.
pub struct Reachability {
    pub(super) machine: Arc<Machine>,
    /// Where a turn may lead that comes to a state: the state itself, and what lies behind it where it is passed in the
    /// same turn. Ordered by id.
    behind: IdVec<StateId, Vec<StateId>>,
    /// Where a turn may lead from a state. Ordered by id.
    leads: IdVec<StateId, Vec<StateId>>,
    /// Where a turn may lead from anywhere.
    anywhere: Vec<StateId>,
    /// Where a turn may lead while branches run.
    branches: Vec<StateId>,
}

impl Reachability {
    /// Where the turns of a model may lead.
    pub fn of(model: Arc<Machine>) -> Self {
        let machine = &*model;
        let graph = StateGraph::of(machine);
        let mut behind = IdVec::filled(machine.states.len(), Vec::new());
        for (id, _) in machine.declared_states() {
            behind[id] = passages(machine, id);
        }
        let reach = |targets: &[StateId]| {
            let known = targets.iter().filter_map(|target| behind.lookup(*target));
            sorted(known.flatten().copied().collect())
        };
        let forced = machine.policies.lead_anywhere(machine);
        let anywhere = reach(&forced);
        let mut leads = IdVec::filled(machine.states.len(), Vec::new());
        for (id, _) in machine.declared_states() {
            let ways: Vec<StateId> = graph
                .next(id)
                .iter()
                .copied()
                .chain(forced.iter().copied())
                .collect();
            leads[id] = reach(&ways);
        }
        let nodes = machine
            .states
            .iter()
            .filter_map(|state| state.node.as_deref());
        let forks = nodes.filter(|node| matches!(node, ControlNode::Fork(_)));
        let branches = reach(&forks.flat_map(ControlNode::leads).collect::<Vec<_>>());
        Self {
            machine: model,
            behind,
            leads,
            anywhere,
            branches,
        }
    }

    /// Whether a turn may lead from one state to another by what the states say.
    pub(super) fn leads(&self, from: StateId, to: StateId) -> bool {
        let declared = self
            .leads
            .lookup(from)
            .filter(|_| self.machine.is_declared(from));
        has(declared.unwrap_or(&self.anywhere), to)
    }

    /// Whether a turn that comes to one state may end in another.
    pub(super) fn passes(&self, through: StateId, to: StateId) -> bool {
        self.behind
            .lookup(through)
            .is_some_and(|behind| has(behind, to))
    }

    /// Whether the model has branches.
    pub(super) fn has_branches(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Whether a turn may end in a state because branches run.
    pub(super) fn branches(&self, to: StateId) -> bool {
        has(&self.branches, to)
    }

    /// Whether a turn may lead into a region that remembers where it was left, and `to` lies inside it.
    pub(super) fn re_enters(&self, from: StateId, to: StateId) -> bool {
        let regions = std::iter::successors(self.machine.state(to).region, |state| {
            self.machine.state(*state).region
        });
        let mut regions = regions.take(MAX_REGION_DEPTH);
        regions
            .any(|region| self.machine.state(region).history.is_some() && self.leads(from, region))
    }

    /// Whether the chain of complete data leads from one state to another.
    pub(super) fn completes(&self, from: StateId, to: StateId) -> bool {
        let next = |state: &StateId| match self.machine.state(*state).data_complete {
            Target::State(next, _) => Some(next),
            _ => None,
        };
        let chain = std::iter::successors(next(&from), next).take(self.machine.states.len());
        chain.into_iter().any(|state| self.passes(state, to))
    }

    /// The names of the states where a turn may lead by what a state says.
    pub(super) fn named(&self, from: StateId) -> impl Iterator<Item = &str> {
        let leads = self.leads.lookup(from).unwrap_or(&self.anywhere);
        leads
            .iter()
            .filter(move |to| **to != from)
            .map(|to| self.machine.names.states.name(*to))
    }
}

/// The state, and all that may lie behind it in the same turn: choices, forks, phases that are skipped.
fn passages(machine: &Machine, state: StateId) -> Vec<StateId> {
    let mut met = Vec::new();
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        if met.contains(&state) || !machine.is_declared(state) {
            continue;
        }
        met.push(state);
        open.extend(
            machine
                .state(state)
                .node
                .iter()
                .flat_map(|node| node.leads()),
        );
        open.extend(after_skipping(machine, state));
        open.extend(
            machine
                .state(state)
                .entry
                .iter()
                .flat_map(|rule| machine.effects_lead(*rule)),
        );
    }
    sorted(met)
}

/// Where a move to a phase leads that is skipped.
fn after_skipping(machine: &Machine, state: StateId) -> Option<StateId> {
    if !machine.settings().switches.skip_conditions {
        return None;
    }
    let phase = machine
        .state(state)
        .phase
        .filter(|phase| machine.phases[*phase].state == Some(state))?;
    let first = machine.phase_position(phase)?;
    let ordered = machine
        .phases
        .pairs()
        .take(machine.ordered_phases)
        .skip(first);
    for (at, phase) in ordered {
        if at.index() > first
            && let Some(state) = phase.state
        {
            return Some(state);
        }
        if phase.skip.is_empty() {
            return None;
        }
    }
    machine.well_known.post_phases
}

fn sorted(mut states: Vec<StateId>) -> Vec<StateId> {
    states.sort_unstable();
    states.dedup();
    states
}

fn has(states: &[StateId], state: StateId) -> bool {
    states.binary_search(&state).is_ok()
}
