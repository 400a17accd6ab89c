//! The states that turns can reach in a model, computed once.

use crate::limits::MAX_REGION_DEPTH;
use std::sync::Arc;

use fsmsim_core::engine::{Machine, StateGraph};
use fsmsim_core::machine::{ControlNode, Id, IdVec, StateId, Target};

/// The states that turns can reach from each state of a model, regardless of conditions.
pub struct Reachability {
    pub(super) machine: Arc<Machine>,
    /// For each state, where a turn that enters it can end: in the state itself, or in states to which the turn then
    /// continues. Sorted by ID.
    continuations: IdVec<StateId, Vec<StateId>>,
    /// For each state, the possible target states of a turn that starts in it. Sorted by ID.
    leads: IdVec<StateId, Vec<StateId>>,
    /// The possible target states of turns that start in any state.
    anywhere: Vec<StateId>,
    /// The possible target states of turns while branches are running.
    branches: Vec<StateId>,
}

impl Reachability {
    /// Computes the reachable states of a model.
    pub fn of(model: Arc<Machine>) -> Self {
        let machine = &*model;
        let graph = StateGraph::of(machine);
        let mut continuations = IdVec::filled(machine.states.len(), Vec::new());
        for (id, _) in machine.declared_states() {
            continuations[id] = passages(machine, id);
        }
        let reach = |targets: &[StateId]| {
            let known = targets
                .iter()
                .filter_map(|target| continuations.lookup(*target));
            sorted(known.flatten().copied().collect())
        };
        let forced = machine.policies.lead_anywhere(machine);
        let anywhere = reach(&forced);
        let mut leads = IdVec::filled(machine.states.len(), Vec::new());
        for (id, _) in machine.declared_states() {
            let next_states: Vec<StateId> = graph
                .next(id)
                .iter()
                .copied()
                .chain(forced.iter().copied())
                .collect();
            leads[id] = reach(&next_states);
        }
        let nodes = machine
            .states
            .iter()
            .filter_map(|state| state.node.as_deref());
        let forks = nodes.filter(|node| matches!(node, ControlNode::Fork(_)));
        let branches = reach(&forks.flat_map(ControlNode::leads).collect::<Vec<_>>());
        Self {
            machine: model,
            continuations,
            leads,
            anywhere,
            branches,
        }
    }

    /// Whether the declarations of the states allow a turn to go from one state to another.
    pub(super) fn leads(&self, from: StateId, to: StateId) -> bool {
        let declared = self
            .leads
            .lookup(from)
            .filter(|_| self.machine.is_declared(from));
        has(declared.unwrap_or(&self.anywhere), to)
    }

    /// Whether a turn that enters one state can end in another.
    pub(super) fn passes(&self, through: StateId, to: StateId) -> bool {
        self.continuations
            .lookup(through)
            .is_some_and(|continuations| has(continuations, to))
    }

    /// Whether the declarations of the state allow a turn to resume the dialogue that an aside interrupted.
    pub(super) fn resumes(&self, from: StateId) -> bool {
        let mut leads = self.leads.lookup(from).into_iter().flatten();
        leads.any(|to| self.machine.state(*to).is_resume())
    }

    /// Whether the model has branches.
    pub(super) fn has_branches(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Whether a turn can end in a state while branches are running.
    pub(super) fn branches(&self, to: StateId) -> bool {
        has(&self.branches, to)
    }

    /// Whether a turn can enter a region with history that contains `to`.
    pub(super) fn re_enters(&self, from: StateId, to: StateId) -> bool {
        let regions = std::iter::successors(self.machine.state(to).region, |state| {
            self.machine.state(*state).region
        });
        let mut regions = regions.take(MAX_REGION_DEPTH);
        regions
            .any(|region| self.machine.state(region).history.is_some() && self.leads(from, region))
    }

    /// Whether a chain of `data_complete` transitions leads from one state to another.
    pub(super) fn completes(&self, from: StateId, to: StateId) -> bool {
        let next = |state: &StateId| match self.machine.state(*state).data_complete {
            Target::State(next, _) => Some(next),
            _ => None,
        };
        std::iter::successors(next(&from), next)
            .take(self.machine.states.len())
            .any(|state| self.passes(state, to))
    }

    /// The names of the target states that a state's declarations allow.
    pub(super) fn named(&self, from: StateId) -> impl Iterator<Item = &str> {
        self.leads
            .lookup(from)
            .unwrap_or(&self.anywhere)
            .iter()
            .filter(move |to| **to != from)
            .map(|to| self.machine.names.states.name(*to))
    }
}

/// The state, and all states that can follow it within the same turn: after choices, forks and skipped phases.
fn passages(machine: &Machine, state: StateId) -> Vec<StateId> {
    let mut seen = Vec::new();
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        if seen.contains(&state) || !machine.is_declared(state) {
            continue;
        }
        seen.push(state);
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
    sorted(seen)
}

/// The state to which a transition leads if the phase of its target is skipped.
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
