//! Which states lead to which.

use super::Machine;
use crate::machine::{ChainId, ControlNode, IdVec, RuleId, State, StateId, Target};

/// Which states lead to which, by anything that is written: transitions, steps back, ways out by force, nodes, moves of
/// instructions.
pub struct StateGraph {
    next: IdVec<StateId, Vec<StateId>>,
}

impl StateGraph {
    /// The map of a machine.
    pub fn of(machine: &Machine) -> Self {
        let mut next = IdVec::filled(machine.states.len(), Vec::new());
        for (id, state) in machine.declared_states() {
            next[id] = ways(machine, id, state);
        }
        Self { next }
    }

    /// Where a state leads, itself included where it may be entered again.
    pub fn next(&self, state: StateId) -> &[StateId] {
        self.next.lookup(state).map_or(&[], Vec::as_slice)
    }

    /// Of each state, whether a dialogue can come to it. `None` where a model may go anywhere.
    pub fn reached(&self, machine: &Machine) -> Option<IdVec<StateId, bool>> {
        let (reached, anywhere) = self.led_to(machine, []);
        (!anywhere).then_some(reached)
    }

    /// Of each state, whether something written leads a dialogue to it that begins where the machine begins, or in one of
    /// these states; and whether a model may go anywhere beside that.
    pub fn led_to(
        &self,
        machine: &Machine,
        begun: impl IntoIterator<Item = StateId>,
    ) -> (IdVec<StateId, bool>, bool) {
        let mut reached = IdVec::filled(machine.states.len(), false);
        let mut anywhere = false;
        let mut open = beginnings(machine);
        open.extend(begun);
        while let Some(state) = open.pop() {
            let Some(place) = reached.lookup_mut(state) else {
                continue;
            };
            if std::mem::replace(place, true) {
                continue;
            }
            anywhere |= machine.is_decided(state);
            open.extend(self.next(state));
            // A state of which the steps say that it loads data has its part without being gone to.
            let outline = machine
                .guide(state)
                .and_then(|guide| guide.outline.as_ref());
            open.extend(outline.iter().flat_map(|outline| &outline.loaders));
        }
        (reached, anywhere)
    }
}

impl Machine {
    /// Whether a model may decide where a state leads.
    pub fn is_decided(&self, state: StateId) -> bool {
        let settings = self.settings();
        let decides = self.policies.lead(self, settings, state).decides;
        decides.is_some_and(|source| settings.enabled.has(source))
    }
}

/// The states where a dialogue may begin, or go by itself.
fn beginnings(machine: &Machine) -> Vec<StateId> {
    let well_known = &machine.well_known;
    // Where phases may be skipped, a dialogue comes to any of them, and to what follows them.
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

/// Where a state leads by what it says itself, and where policies lead from it.
fn ways(machine: &Machine, id: StateId, state: &State) -> Vec<StateId> {
    let mut next: Vec<StateId> = state.allowed_go_back.into_iter().collect();
    next.extend(state.node.iter().flat_map(|node| node.leads()));
    let tables = state.rules.iter().chain(state.transitions.iter());
    let mut chains: Vec<ChainId> = tables.map(|(_, chain)| chain).collect();
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
        rules.extend(machine.clauses(chain).iter().map(|clause| clause.rule));
        next.extend(machine.chain_states(chain));
    }
    // What effects come to may lead elsewhere.
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
