//! The complete mutable state of one dialogue, as a value.

use crate::engine::{
    ActiveBranches, Clarification, Counters, Machine, PolicyMemories, Reads, RecentTurns,
    ReturnStack, Settings, Slots, Symbol, Tracker, UnknownSymbols,
};
use crate::machine::{ActionId, CounterId, IntentId, PhaseId, StateId};

/// The complete mutable state of one dialogue: a value that can be cloned, compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// The state, the phase and the last action.
    pub position: Position,
    /// The return states of open asides and other digressions.
    pub returns: ReturnStack,
    /// The collected data.
    pub slots: Slots,
    /// The counters that the machine declares.
    pub counters: Counters,
    /// The counts of intents and categories.
    pub tracker: Tracker,
    /// The last turns, for context signals.
    pub recent_turns: RecentTurns,
    /// The clarification state.
    pub clarification: Clarification,
    /// The running branches, and the history of regions.
    pub branches: ActiveBranches,
    /// The memories of the policies.
    pub policies: PolicyMemories,
    /// Whether any phase was entered.
    pub phase_entered: bool,
    /// Names that the machine does not define.
    pub unknown: UnknownSymbols,
}

/// State, phase and last action: they change together or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub state: StateId,
    pub phase: Option<PhaseId>,
    /// The last action.
    pub action: Option<ActionId>,
}

impl Session {
    /// Creates the session of a new dialogue.
    pub fn new(machine: &Machine) -> Self {
        Self {
            position: Position {
                state: machine.initial,
                phase: None,
                action: None,
            },
            returns: ReturnStack::default(),
            slots: Slots::new(machine),
            counters: Counters::new(machine),
            tracker: Tracker::new(machine),
            recent_turns: RecentTurns::default(),
            clarification: Clarification::default(),
            branches: ActiveBranches::default(),
            policies: PolicyMemories::default(),
            phase_entered: false,
            unknown: UnknownSymbols::default(),
        }
    }

    /// Resets the session to its start.
    pub fn reset(&mut self, machine: &Machine) {
        self.position = Position {
            state: machine.initial,
            phase: None,
            action: None,
        };
        self.returns.clear();
        self.slots.begin(machine);
        self.counters = Counters::new(machine);
        self.tracker.clear(machine);
        self.recent_turns.clear();
        self.clarification = Clarification::default();
        self.branches.clear();
        self.policies = PolicyMemories::default();
        self.phase_entered = false;
        self.unknown.clear();
    }

    /// Copies `other` and reuses the memory of its large tables.
    pub fn copy_from(&mut self, other: &Self) {
        self.position = other.position;
        self.returns.clone_from(&other.returns);
        self.slots.copy_from(&other.slots);
        self.counters.copy_from(&other.counters);
        self.tracker.copy_from(&other.tracker);
        self.recent_turns.clone_from(&other.recent_turns);
        self.clarification.clone_from(&other.clarification);
        self.branches.clone_from(&other.branches);
        self.policies.clone_from(&other.policies);
        self.phase_entered = other.phase_entered;
        self.unknown.clone_from(&other.unknown);
    }

    /// The innermost return state.
    #[inline]
    pub fn return_state(&self) -> Option<StateId> {
        self.returns.top()
    }

    /// The names of the return states, innermost first.
    pub fn return_names<'s>(&'s self, machine: &'s Machine) -> Vec<&'s str> {
        let states = self
            .returns
            .iter()
            .map(|state| self.state_name(state, machine));
        let mut names: Vec<&str> = states.collect();
        names.reverse();
        names
    }

    /// The state to which a target leads if it is the way back from an aside.
    pub fn resumed_by(&self, target: StateId, machine: &Machine) -> Option<StateId> {
        self.return_state()
            .filter(|_| machine.state(target).is_resume())
    }

    #[inline]
    pub fn intent_id(&mut self, name: &Symbol<IntentId>, machine: &Machine) -> IntentId {
        match name {
            Symbol::Known(id) => *id,
            Symbol::Unknown(_) => self.unknown.intents.id(name, machine.names.intents.len()),
        }
    }

    pub fn intent_name<'a>(&'a self, id: IntentId, machine: &'a Machine) -> &'a str {
        self.unknown.intents.text(id, &machine.names.intents)
    }

    pub fn state_name<'a>(&'a self, id: StateId, machine: &'a Machine) -> &'a str {
        self.unknown.states.text(id, &machine.names.states)
    }

    pub fn phase_name<'a>(&'a self, id: PhaseId, machine: &'a Machine) -> &'a str {
        self.unknown.phases.text(id, &machine.names.phases)
    }

    pub fn action_name<'a>(&'a self, id: ActionId, machine: &'a Machine) -> &'a str {
        self.unknown.actions.text(id, &machine.names.actions)
    }

    /// Whether the dialogue has ended.
    #[inline]
    pub fn is_final(&self, machine: &Machine) -> bool {
        self.would_be_final(self.position.state, machine)
    }

    /// Whether the dialogue would end in `state`.
    #[inline]
    pub fn would_be_final(&self, state: StateId, machine: &Machine) -> bool {
        let state = machine.state(state);
        state.is_final
            || state
                .final_if
                .is_some_and(|slot| self.slots.get(slot).truthy())
    }

    /// The state of a turn that belongs to the branch at this index, or to no branch.
    pub(crate) fn state_of_turn(&self, branch: Option<usize>) -> StateId {
        branch
            .and_then(|at| self.branches.branches.get(at)?.state)
            .unwrap_or(self.position.state)
    }

    /// Assigns the current turn to the branch at this index: the dialogue continues in its state.
    pub(crate) fn enter_branch(&mut self, at: usize, machine: &Machine) {
        // A turn that another branch handles leaves the order unchanged.
        if self.branches.next_in_turn() == Some(at) {
            self.branches.served = Some(at);
        }
        self.branches.current = Some(at);
        self.branches.routed = self.branches.routed.wrapping_add(1);
        let Some(branch) = self.branches.current() else {
            return;
        };
        let state = branch.state;
        self.returns.clone_from(&branch.returns);
        if let Some(state) = state {
            self.move_to(state, None, machine);
        }
    }

    /// Moves to a state: sets its phase, and the action if there is one.
    pub fn move_to(&mut self, state: StateId, action: Option<ActionId>, machine: &Machine) {
        let phase = machine.state(state).phase;
        self.position = Position {
            state,
            phase,
            action: action.or(self.position.action),
        };
        self.phase_entered |= phase.is_some();
    }

    /// Clears the parts that no reader reads, and replaces counts with the smallest equivalent ones. Slots are
    /// unchanged, because the caller decides which values are equivalent.
    pub fn reduce(&mut self, reads: &Reads, machine: &Machine, settings: &Settings) {
        // The engine derives the phase from the state. The last action, the clarification (an input with an intent
        // answers any question) and the number of entered phases have no readers.
        self.position.phase = machine.state(self.position.state).phase;
        self.position.action = None;
        self.phase_entered = false;
        self.clarification = Clarification::default();
        self.unknown = UnknownSymbols::default();
        for counter in machine.names.counters.ids() {
            let cap = reads.counters.get(&counter).copied().unwrap_or_default();
            let value = cap.of(self.counters.get(counter));
            self.counters.set(counter, value);
        }
        if !reads.returns {
            self.returns.clear();
        }
        self.tracker.reduce(reads, machine);
        self.recent_turns
            .reduce(reads, machine, self.position.state);
        self.branches.reduce(reads, machine, settings);
        machine.policies.reduce(&mut self.policies, reads, settings);
    }
}

impl Machine {
    /// The value of a counter: computed by a policy, otherwise stored in the session.
    pub fn counter(&self, session: &Session, settings: &Settings, counter: CounterId) -> i64 {
        self.counter_in(&session.counters, session, settings, counter)
    }

    /// The value of a counter: computed by a policy, otherwise from these stored counters.
    pub(crate) fn counter_in(
        &self,
        kept: &Counters,
        session: &Session,
        settings: &Settings,
        counter: CounterId,
    ) -> i64 {
        self.policies
            .counter(session, settings, counter)
            .unwrap_or_else(|| kept.get(counter))
    }
}
