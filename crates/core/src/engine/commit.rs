//! Committing: the only code that applies a decision to the session (docs/src/explanation/how-a-turn-works.md).

use super::nodes::NodeTraversal;
use super::session::TurnSummary;
use super::{
    Blackboard, Clarification, Decision, Input, Machine, PolicyNotes, Position, ReturnStack,
    Returns, Session, Settings, SignalMode, Slots, Tracker,
};
use crate::machine::{Float, IntentId, StateId, Traits, Value};

/// The inputs of a commit.
pub(super) struct Commit<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    pub input: &'a Input,
    pub intent: IntentId,
}

/// The commit as policies see it, after the state, the data and the flags of the new state are set.
pub(crate) struct CommitTurn<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    pub input: &'a Input,
    pub intent: IntentId,
    /// The state before the turn.
    pub from: StateId,
    pub decision: &'a Decision,
    pub tracker: &'a Tracker,
    pub slots: &'a mut Slots,
    pub returns: &'a mut ReturnStack,
    pub clarification: &'a mut Clarification,
}

impl Commit<'_> {
    /// Applies the decision. The entry action of the new state overrides the decided action.
    pub(super) fn apply(
        &self,
        session: &mut Session,
        board: &Blackboard,
        notes: &mut PolicyNotes,
        decision: &mut Decision,
    ) {
        let from = session.position.state;
        if !decision.failed {
            self.enter(session, board, decision, from);
        }
        let was_aside = session.returns.top().is_some();
        self.policies(session, notes, decision, from);
        if !decision.failed {
            match decision.returns {
                Returns::AsItIs => self.follow(session, decision, (from, was_aside)),
                Returns::Keep(state) => session.returns.keep(from, state, self.machine),
                Returns::Forget => session.returns.pop(),
            }
            if let Some(traversal) = &mut decision.traversal {
                self.branches(session, traversal);
            }
        }
        if self.settings.signals == SignalMode::Derived {
            let turn = TurnSummary {
                intent: self.intent,
                confidence: self.input.confidence.unwrap_or_else(|| Float::new(1.0)),
                from,
                to: decision.to,
                say: self.input.say.as_deref().unwrap_or_default(),
                has_data: !self.input.data.values().is_empty(),
            };
            session.recent_turns.push(&turn, self.machine);
        }
    }

    /// Changes the state, the phase, the action and the data together.
    fn enter(
        &self,
        session: &mut Session,
        board: &Blackboard,
        decision: &mut Decision,
        from: StateId,
    ) {
        if let Some(draft) = &mut decision.draft {
            session.slots = std::mem::take(&mut draft.slots);
            session.counters = std::mem::take(&mut draft.counters);
        }
        for (slot, value) in &board.updates {
            session.slots.set(*slot, value.clone());
        }
        let changed = decision.to != from;
        let entered = self.machine.state(decision.to);
        if changed && let Some(action) = entered.enter_action {
            decision.action = action;
        }
        session.position = Position {
            state: decision.to,
            phase: entered.phase,
            action: Some(decision.action),
        };
        session.phase_entered |= entered.phase.is_some();
        if changed {
            for (slot, value) in &entered.set_flags {
                session.slots.set(*slot, value.clone());
            }
        }
    }

    /// Enters and leaves asides. `was_aside` says whether there was a return state at the start of the turn.
    fn follow(
        &self,
        session: &mut Session,
        decision: &Decision,
        (from, was_aside): (StateId, bool),
    ) {
        // Most turns neither begin in an aside nor enter one.
        if !was_aside && self.machine.state(decision.to).aside.is_none() {
            return;
        }
        let returns = &mut session.returns;
        let traversal = decision.traversal.as_deref();
        // In the profile `reference`, a saved return state survives objections, and remains outside of asides.
        let is_kept = !self.settings.switches.return_state
            && was_aside
            && (self.machine.intent(self.intent).has(Traits::OBJECTION)
                || self.machine.state(from).aside.is_none());
        if traversal.is_some_and(|traversal| traversal.resumed) {
            returns.pop();
        } else if !is_kept && !traversal.is_some_and(|traversal| traversal.switched) {
            returns.follow(from, decision.to, self.machine);
        }
    }

    /// Lets the policies update their memories.
    fn policies(
        &self,
        session: &mut Session,
        notes: &mut PolicyNotes,
        decision: &Decision,
        from: StateId,
    ) {
        let Self {
            machine,
            settings,
            input,
            intent,
        } = *self;
        let Session {
            slots,
            tracker,
            returns,
            clarification,
            policies,
            ..
        } = session;
        let mut turn = CommitTurn {
            machine,
            settings,
            input,
            intent,
            from,
            decision,
            tracker,
            slots,
            returns,
            clarification,
        };
        machine.policies.commit(policies, notes, &mut turn);
    }

    /// Sets the branches after the turn and stores the data of joined branches.
    fn branches(&self, session: &mut Session, traversal: &mut NodeTraversal) {
        if let Some(slot) = self.machine.well_known.branch_results
            && !traversal.collected.is_empty()
        {
            let names = &self.machine.names;
            let results = traversal.collected.iter().map(|branch| {
                let data = branch
                    .data
                    .iter()
                    .map(|(name, value)| (name.text(&names.slots), value.clone()));
                (names.branches.name(branch.id), Value::map(data))
            });
            session.slots.set(slot, Value::map(results));
            for (name, value) in traversal.collected.iter().flat_map(|branch| &branch.data) {
                if session.slots.by_name(name).is_null() {
                    session.slots.set_name(name, value.clone());
                }
            }
        }
        session.branches = std::mem::take(&mut traversal.branches);
        if let Some(branch) = session.branches.current_mut() {
            // Each branch has separate return states.
            if traversal.switched {
                session.returns.clone_from(&branch.returns);
            } else {
                branch.returns.clone_from(&session.returns);
            }
        }
    }
}
