//! Which states lead to which.

use crate::machine::{ChainId, Consequent, ControlNode, IdVec, Machine, SourceKind, State, StateId, Target};

/// Which states lead to which, by anything that is written: transitions, steps back, ways out by force, nodes, moves of
/// instructions.
pub struct StateGraph {
    next: IdVec<StateId, Vec<StateId>>,
}

impl StateGraph {
    /// The map of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let mut next = IdVec::filled(machine.states.len(), Vec::new());
        for (id, state) in machine.declared_states() {
            next[id] = ways(machine, state);
        }
        Self { next }
    }

    /// Where a state leads, itself included where it may be entered again.
    pub fn next(&self, state: StateId) -> &[StateId] {
        self.next.lookup(state).map_or(&[], Vec::as_slice)
    }

    /// Of each state, whether a dialogue can come to it. `None` where a model may go anywhere.
    pub(super) fn reached(&self, machine: &Machine) -> Option<IdVec<StateId, bool>> {
        let mut reached = IdVec::filled(machine.states.len(), false);
        let mut open = beginnings(machine);
        while let Some(state) = open.pop() {
            let Some(place) = reached.lookup_mut(state) else { continue };
            if std::mem::replace(place, true) {
                continue;
            }
            let interest = machine.state(state).interest.and(machine.settings.enabled);
            if interest.has(SourceKind::AutonomousDecision) {
                return None;
            }
            open.extend(self.next(state));
            // A state of which the steps say that it loads data has its part without being gone to.
            let outline = machine.state(state).guide.as_ref().and_then(|guide| guide.outline.as_ref());
            open.extend(outline.iter().flat_map(|outline| &outline.loaders));
        }
        Some(reached)
    }
}

/// The states where a dialogue may begin, or go by itself.
fn beginnings(machine: &Machine) -> Vec<StateId> {
    let vocabulary = &machine.vocabulary;
    let places = &vocabulary.places;
    let by_sources =
        [places.soft_close, places.stall_default, places.entry, places.escalation].into_iter().flatten();
    // Where phases may be skipped, a dialogue comes to any of them, and to what follows them.
    let skips = machine.phases.iter().any(|phase| !phase.skip.is_empty());
    let phases = machine.phases.iter().filter_map(|phase| phase.state).chain(places.post_phases);
    let aside = machine
        .instructions
        .iter()
        .flat_map(|instructions| [instructions.consent, instructions.without_data]);
    let mut states = vec![machine.initial];
    states.extend(vocabulary.entry_points.iter().copied().chain(by_sources).chain(aside.flatten()));
    states.extend(phases.filter(|_| skips));
    states
}

/// Where a state leads by what it says itself.
fn ways(machine: &Machine, state: &State) -> Vec<StateId> {
    let mut next: Vec<StateId> = state.allowed_go_back.into_iter().collect();
    match state.node.as_deref() {
        Some(ControlNode::Choice { ways, default }) => {
            next.extend(ways.iter().map(|way| way.next).chain(*default));
        }
        Some(ControlNode::Fork(fork)) => {
            next.extend(fork.branches.iter().map(|branch| branch.start).chain([fork.join_at]));
        }
        Some(ControlNode::Join(_) | ControlNode::BranchEnd) | None => {}
    }
    let mut chains: Vec<ChainId> = state.transitions.iter().map(|(_, chain)| chain).collect();
    for target in [state.go_back, state.data_complete, state.any, state.fallback] {
        match target {
            Target::None => {}
            Target::State(to, _) => next.push(to),
            Target::Chain(chain) => chains.push(chain),
        }
    }
    for chain in chains {
        next.extend(machine.clauses(chain).iter().filter_map(|clause| match clause.then {
            Consequent::State(to) => Some(to),
            Consequent::Action(_) => None,
        }));
    }
    if state.max_turns > 0 {
        next.extend(machine.vocabulary.places.stall_default);
    }
    // A class takes its turns wherever the dialogue is.
    if let Some(contract) = machine.contract.as_deref() {
        next.extend(contract.classes.iter().filter_map(|class| class.mode));
        next.extend(contract.outcomes.iter().filter_map(|outcome| outcome.mode));
    }
    next.extend(state.guide.iter().flat_map(|guide| guide.moves.iter().map(|declared| declared.target)));
    next.retain(|to| machine.is_declared(*to));
    next
}
