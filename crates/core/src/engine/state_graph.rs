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

    /// For each state, a lower bound of the number of turns from it to a goal; `None` if no path leads there. `goals` are
    /// states with the number of turns from them. Returns `None` if a dialogue can move without a path.
    pub fn turns_to(
        &self,
        machine: &Machine,
        goals: &[(StateId, u32)],
    ) -> Option<IdVec<StateId, Option<u32>>> {
        let is_open = machine.policies.inputs().navigation
            || machine.well_known.unused_node.is_some()
            || machine.states.ids().any(|id| machine.is_decided(id));
        if is_open {
            return None;
        }
        let unlinked = unlinked_states(machine);
        let mut turns = IdVec::filled(machine.states.len(), None);
        for (goal, rest) in goals {
            turns[*goal] = Some(*rest);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, state) in machine.declared_states() {
                // A dialogue leaves a node in the turn that enters it.
                let cost = u32::from(state.node.is_none());
                let next = self.next(id).iter().chain(&unlinked);
                let least = next.filter_map(|to| turns[*to]).min();
                let least = least.map(|least| least + cost);
                if least.is_some_and(|least| turns[id].is_none_or(|known| least < known)) {
                    turns[id] = least;
                    changed = true;
                }
            }
        }
        Some(turns)
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
    let mut states = unlinked_states(machine);
    states.push(machine.initial);
    states.extend(machine.well_known.entry_points.iter().copied());
    states
}

/// The states that a dialogue can enter without an edge.
fn unlinked_states(machine: &Machine) -> Vec<StateId> {
    // If phases can be skipped, a dialogue can reach any of them, and the state after them.
    let skips = machine.phases.iter().any(|phase| !phase.skip.is_empty());
    let phases = machine
        .phases
        .iter()
        .filter_map(|phase| phase.state)
        .chain(machine.well_known.post_phases);
    let mut states = machine.policies.lead_anywhere(machine);
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
