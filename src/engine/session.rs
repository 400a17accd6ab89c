//! The whole mutable state of one dialogue, as a value.

use std::sync::Arc;

use smallvec::SmallVec;

use super::consent::Consent;
use super::dag::ActiveBranches;
use super::guard_memory::GuardMemory;
use super::name::{Symbol, Unknown};
use super::reply::LimitCounts;
use super::slots::Slots;
use super::tracker::Tracker;
use super::window::RecentTurns;
use crate::machine::{ActionId, IntentId, Machine, PhaseId, Settings, StateId, Value};

/// The whole mutable state of one dialogue: a value that can be cloned, compared and hashed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// Where the dialogue is.
    pub position: Position,
    /// Where it returns to after an objection.
    pub return_state: Option<StateId>,
    /// The collected data.
    pub slots: Slots,
    /// What was said so far.
    pub tracker: Tracker,
    /// The steps back that were taken: from and to.
    pub go_backs: SmallVec<[(StateId, StateId); 2]>,
    /// The last turns, for context signals.
    pub window: RecentTurns,
    /// What the conversation guard remembers.
    pub guard: GuardMemory,
    /// Whether and since when the dialogue is asking back.
    pub clarification: Clarification,
    /// The branches that run side by side, and where regions were left.
    pub dag: ActiveBranches,
    /// What the user lets the assistant do with the digital twin.
    pub consent: Consent,
    /// How often replies met each limit since the state was entered.
    pub met: LimitCounts,
    /// Whether a phase was ever entered.
    pub phase_entered: bool,
    /// Names that the machine does not know.
    pub foreign: UnknownSymbols,
}

/// State, phase and last action: they change together or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The state.
    pub state: StateId,
    /// The phase.
    pub phase: Option<PhaseId>,
    /// The last action.
    pub action: Option<ActionId>,
}

/// Whether and since when the dialogue is asking back (docs/models.md, "In doubt").
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clarification {
    /// The last turn asked back.
    pub open: bool,
    /// Turns since; 999 where it never happened.
    pub turns_since: u32,
    /// The state in which it asked.
    pub state: Option<StateId>,
    /// What it asked.
    pub asked: Option<Arc<OpenQuestion>>,
}

/// What was asked back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenQuestion {
    /// The readings to choose from.
    pub options: Arc<[Value]>,
    /// The state in which it was asked.
    pub state: Option<StateId>,
    /// The data that the utterance brought, as a map.
    pub data: Value,
    /// How often it was asked.
    pub attempt: i64,
}

impl Default for Clarification {
    fn default() -> Self {
        Self { open: false, turns_since: NEVER, state: None, asked: None }
    }
}

/// Turns since something that never happened.
pub(super) const NEVER: u32 = 999;

impl Clarification {
    /// A turn begins: what was asked back is answered by it, whatever it says.
    pub(super) fn pass_turn(&mut self) {
        self.turns_since = if self.open { 0 } else { NEVER.min(self.turns_since + 1) };
        self.open = false;
        self.state = None;
        self.asked = None;
    }
}

/// Names that the machine does not know, of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnknownSymbols {
    /// States.
    pub states: Unknown,
    /// Phases.
    pub phases: Unknown,
    /// Intents.
    pub intents: Unknown,
    /// Actions.
    pub actions: Unknown,
}

impl UnknownSymbols {
    fn clear(&mut self) {
        for names in [&mut self.states, &mut self.phases, &mut self.intents, &mut self.actions] {
            names.clear();
        }
    }
}

impl Session {
    /// A dialogue that has not begun.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        Self {
            position: Position { state: machine.initial, phase: None, action: None },
            return_state: None,
            slots: Slots::new(machine),
            tracker: Tracker::new(machine),
            go_backs: SmallVec::new(),
            window: RecentTurns::default(),
            guard: GuardMemory::default(),
            clarification: Clarification::default(),
            dag: ActiveBranches::default(),
            consent: Consent::default(),
            met: LimitCounts::new(),
            phase_entered: false,
            foreign: UnknownSymbols::default(),
        }
    }

    /// Back to the beginning.
    pub fn reset(&mut self, machine: &Machine) {
        self.position = Position { state: machine.initial, phase: None, action: None };
        self.return_state = None;
        self.slots.clear();
        self.tracker.clear(machine);
        self.go_backs.clear();
        self.window.clear();
        self.guard = GuardMemory::default();
        self.clarification = Clarification::default();
        self.dag.clear();
        self.consent = Consent::default();
        self.met.clear();
        self.phase_entered = false;
        self.foreign.clear();
    }

    /// The id of an intent in this session.
    #[inline]
    pub fn intent_id(&mut self, name: &Symbol<IntentId>, machine: &Machine) -> IntentId {
        match name {
            Symbol::Known(id) => *id,
            Symbol::Unknown(_) => self.foreign.intents.id(name, machine.names.intents.len()),
        }
    }

    /// The name of an intent.
    #[must_use]
    pub fn intent_name<'a>(&'a self, id: IntentId, machine: &'a Machine) -> &'a str {
        self.foreign.intents.text(id, &machine.names.intents)
    }

    /// The name of a state.
    #[must_use]
    pub fn state_name<'a>(&'a self, id: StateId, machine: &'a Machine) -> &'a str {
        self.foreign.states.text(id, &machine.names.states)
    }

    /// The name of a phase.
    #[must_use]
    pub fn phase_name<'a>(&'a self, id: PhaseId, machine: &'a Machine) -> &'a str {
        self.foreign.phases.text(id, &machine.names.phases)
    }

    /// The name of an action.
    #[must_use]
    pub fn action_name<'a>(&'a self, id: ActionId, machine: &'a Machine) -> &'a str {
        self.foreign.actions.text(id, &machine.names.actions)
    }

    /// Whether the dialogue is over: in a final state, or in the soft close after too many objections.
    #[inline]
    #[must_use]
    pub fn is_final(&self, machine: &Machine) -> bool {
        self.would_be_final(self.position.state, machine)
    }

    /// Whether the dialogue would be over in `state`.
    #[inline]
    #[must_use]
    pub fn would_be_final(&self, state: StateId, machine: &Machine) -> bool {
        let limit = machine.vocabulary.slots.objection_limit_final;
        machine.state(state).is_final
            || (machine.vocabulary.places.soft_close == Some(state)
                && limit.is_some_and(|slot| self.slots.get(slot).truthy()))
    }

    /// Steps back that are left.
    #[must_use]
    pub fn go_backs_left(&self, settings: &Settings) -> i64 {
        let taken = i64::try_from(self.go_backs.len()).unwrap_or(i64::MAX);
        settings.limits.go_backs.saturating_sub(taken).max(0)
    }

    /// The turn that begins belongs to the branch at this place: the dialogue is where the branch is.
    pub(super) fn enter_branch(&mut self, at: usize, machine: &Machine) {
        self.dag.current = Some(at);
        self.dag.routed = self.dag.routed.wrapping_add(1);
        let Some(branch) = self.dag.current() else { return };
        let (state, return_state) = (branch.state, branch.return_state);
        self.return_state = return_state;
        if let Some(state) = state {
            self.move_to(state, None, machine);
        }
    }

    /// Moves to a state: its phase with it, and the action where there is one.
    pub fn move_to(&mut self, state: StateId, action: Option<ActionId>, machine: &Machine) {
        let phase = machine.state(state).phase;
        self.position = Position { state, phase, action: action.or(self.position.action) };
        self.phase_entered |= phase.is_some();
    }
}
