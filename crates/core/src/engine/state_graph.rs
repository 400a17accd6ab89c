//! The graph of states.

use super::Machine;
use crate::machine::{ChainId, ControlNode, IdVec, RuleId, State, StateId, Target};

/// The graph of states, with all edges of the definition: transitions, going back, forced transitions, nodes,
/// navigation of instructions.
pub struct StateGraph {
    next: IdVec<StateId, Vec<StateId>>,
}

impl StateGraph {
    /// Builds the graph of a machine.
    pub fn of(machine: &Machine) -> Self {
        let mut next = IdVec::filled(machine.states.len(), Vec::new());
        for (id, state) in machine.declared_states() {
            next[id] = successors(machine, id, state);
        }
        Self { next }
    }

    /// The successors of a state, including itself if it can be re-entered.
    pub fn next(&self, state: StateId) -> &[StateId] {
        self.next.lookup(state).map_or(&[], Vec::as_slice)
    }

    /// For each state, whether it is reachable. `None` if a model can choose any state.
    pub fn reached(&self, machine: &Machine) -> Option<IdVec<StateId, bool>> {
        let (reached, anywhere) = self.led_to(machine, []);
        (!anywhere).then_some(reached)
    }

    /// For each state, whether it is reachable from the initial state or from one of the given states; and whether a
    /// model can also choose any state.
    pub fn led_to(
        &self,
        machine: &Machine,
        started_in: impl IntoIterator<Item = StateId>,
    ) -> (IdVec<StateId, bool>, bool) {
        let mut reached = IdVec::filled(machine.states.len(), false);
        let mut anywhere = false;
        let mut open = entry_states(machine);
        open.extend(started_in);
        while let Some(state) = open.pop() {
            let Some(is_reached) = reached.lookup_mut(state) else {
                continue;
            };
            if std::mem::replace(is_reached, true) {
                continue;
            }
            anywhere |= machine.is_decided(state);
            open.extend(self.next(state));
            // States whose data an outline loads are used without being entered.
            let outline = machine
                .guide(state)
                .and_then(|guide| guide.outline.as_ref());
            open.extend(outline.iter().flat_map(|outline| &outline.loaders));
        }
        (reached, anywhere)
    }
}

impl Machine {
    /// Whether a model can choose the next state.
    pub fn is_decided(&self, state: StateId) -> bool {
        let settings = self.settings();
        let decides = self.policies.lead(self, settings, state).decides;
        decides.is_some_and(|source| settings.enabled.has(source))
    }
}

/// The states in which a dialogue can start, or that it can enter without an edge.
fn entry_states(machine: &Machine) -> Vec<StateId> {
    let well_known = &machine.well_known;
    // If phases can be skipped, a dialogue can reach any of them, and the state after them.
    let skips = machine.phases.iter().any(|phase| !phase.skip.is_empty());
    let phases = machine
        .phases
        .iter()
        .filter_map(|phase| phase.state)
        .chain(well_known.post_phases);
    let mut states = vec![machine.initial];
    states.extend(well_known.entry_points.iter().copied());
    states.extend(machine.policies.lead_anywhere(machine));
    states.extend(phases.filter(|_| skips));
    states
}

/// The targets of a state, including targets that policies add.
fn successors(machine: &Machine, id: StateId, state: &State) -> Vec<StateId> {
    let mut next: Vec<StateId> = state.allowed_go_back.into_iter().collect();
    next.extend(state.node.iter().flat_map(|node| node.leads()));
    let mut chains: Vec<ChainId> = state
        .rules
        .iter()
        .chain(state.transitions.iter())
        .map(|(_, chain)| chain)
        .collect();
    let mut rules: Vec<RuleId> = state.entry.into_iter().collect();
    if let Some(ControlNode::Choice { ways, .. }) = state.node.as_deref() {
        rules.extend(ways.iter().map(|way| way.rule));
    }
    for target in state.targets() {
        match target {
            Target::None => {}
            Target::State(to, rule) => {
                next.push(to);
                rules.push(rule);
            }
            Target::Chain(chain) => chains.push(chain),
        }
    }
    for chain in chains {
        rules.extend(
            machine
                .alternatives(chain)
                .iter()
                .map(|alternative| alternative.rule),
        );
        next.extend(machine.chain_states(chain));
    }
    // Outcomes of effects can redirect the turn.
    next.extend(
        rules
            .into_iter()
            .flat_map(|rule| machine.effects_lead(rule)),
    );
    next.extend(
        machine
            .policies
            .lead_from(machine, id)
            .into_iter()
            .map(|way| way.target),
    );
    next.retain(|to| machine.is_declared(*to));
    next
}
