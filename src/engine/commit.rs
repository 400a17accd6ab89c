//! Committing: the one place where a decision changes the session (docs/sales.md, "A turn").

use std::sync::Arc;

use super::board::{Blackboard, PendingGoBack};
use super::dag::NodeTraversal;
use super::input::Input;
use super::reply::count;
use super::resolve::{Decision, Returns};
use super::session::{Clarification, OpenQuestion, Position, Session};
use super::window::TurnSummary;
use crate::machine::{Float, IntentId, Machine, Roles, Settings, SignalMode, SourceKind, StateId, Value};

/// What a turn is committed with.
pub(super) struct Commit<'a> {
    pub(super) machine: &'a Machine,
    pub(super) settings: &'a Settings,
    pub(super) input: &'a Input,
    pub(super) intent: IntentId,
    pub(super) roles: Roles,
}

impl Commit<'_> {
    /// Applies the decision. Its action is replaced by the one of entering where the new state has one.
    pub(super) fn apply(&self, session: &mut Session, board: &mut Blackboard, decision: &mut Decision) {
        let from = session.position.state;
        if !decision.failed {
            self.effects(session, board, decision, from);
        }
        self.remember(session, decision, from);
    }

    fn effects(&self, session: &mut Session, board: &mut Blackboard, decision: &mut Decision, from: StateId) {
        let machine = self.machine;
        if let Some(after) = decision.contract.as_mut().and_then(|settled| settled.after.take()) {
            session.slots = after;
        }
        for (slot, value) in &board.updates {
            session.slots.set(*slot, value.clone());
        }
        let changed = decision.to != from;
        let entered = machine.state(decision.to);
        if changed && let Some(action) = entered.enter_action {
            decision.action = action;
        }
        session.position =
            Position { state: decision.to, phase: entered.phase, action: Some(decision.action) };
        session.phase_entered |= entered.phase.is_some();
        if changed {
            for (slot, value) in &entered.set_flags {
                session.slots.set(*slot, value.clone());
            }
            if let Some(pending) = board.go_back {
                self.count_go_back(session, board, decision, from, pending);
            }
        }
        let switched = decision.passage.as_ref().is_some_and(|passage| passage.switched);
        if let Some(handling) = machine.vocabulary.places.handle_objection.filter(|_| !switched) {
            self.keep_return_state(session, decision.to, from, handling);
        }
        if let Some(instructions) = machine.instructions.as_deref() {
            let reply = self.input.reply.as_deref().unwrap_or_default();
            decision.limit_violations = count(instructions, reply, changed, &mut session.met);
        }
        match decision.returns {
            Returns::AsItIs => {}
            Returns::Keep(state) => session.return_state = Some(state),
            Returns::Forget => session.return_state = None,
        }
        if let Some(passage) = &mut decision.passage {
            self.branches(session, passage);
        }
        if !self.input.options.is_empty() && decision.action == machine.vocabulary.actions.ask_clarification {
            self.ask_back(session, from);
        }
    }

    /// Remembers what is asked back, until the next turn answers it.
    fn ask_back(&self, session: &mut Session, from: StateId) {
        let slots = &self.machine.names.slots;
        let data = self.input.data.values().iter();
        let asked = OpenQuestion {
            options: self.input.options.as_slice().into(),
            state: Some(from),
            data: Value::map(data.map(|(name, value)| (name.text(slots), value.clone()))),
            attempt: 1,
        };
        let turns_since = session.clarification.turns_since;
        session.clarification =
            Clarification { open: true, turns_since, state: Some(from), asked: Some(Arc::new(asked)) };
    }

    /// The branches after the turn, and what those brought that came together (docs/flows.md).
    fn branches(&self, session: &mut Session, passage: &mut NodeTraversal) {
        if let Some(slot) = self.machine.vocabulary.slots.branch_results
            && !passage.collected.is_empty()
        {
            let names = &self.machine.names;
            let results = passage.collected.iter().map(|branch| {
                let data = branch.data.iter().map(|(name, value)| (name.text(&names.slots), value.clone()));
                (names.branches.name(branch.id), Value::map(data))
            });
            session.slots.set(slot, Value::map(results));
            for (name, value) in passage.collected.iter().flat_map(|branch| &branch.data) {
                if session.slots.by_name(name).is_null() {
                    session.slots.set_name(name, value.clone());
                }
            }
        }
        session.dag = std::mem::take(&mut passage.dag);
        if let Some(branch) = session.dag.current_mut() {
            // Each branch keeps its own way back from an objection.
            if passage.switched {
                session.return_state = branch.return_state;
            } else {
                branch.return_state = session.return_state;
            }
        }
    }

    /// Counts a step back that has happened. Under `reference` it counts only where its own action won.
    fn count_go_back(
        &self,
        session: &mut Session,
        board: &Blackboard,
        decision: &Decision,
        from: StateId,
        pending: PendingGoBack,
    ) {
        let won = super::resolve::source_of(board, decision.winning_action) == Some(SourceKind::GoBackGuard)
            && decision.action == self.machine.vocabulary.actions.go_back;
        let arrived = pending.to == Some(decision.to);
        let anywhere = pending.to.is_none() && self.settings.switches.go_back_count;
        if (won || self.settings.switches.go_back_count) && (arrived || anywhere) {
            session.go_backs.push((from, decision.to));
        }
    }

    /// Keeps, drops or leaves the state to return to after an objection (docs/sales.md, "The state to return to").
    fn keep_return_state(&self, session: &mut Session, to: StateId, from: StateId, handling: StateId) {
        let changed = to != from;
        let roles = self.roles;
        if session.return_state.is_none() {
            if changed && to == handling {
                session.return_state = Some(from);
            }
            return;
        }
        let streak = session.tracker.category_streak(self.machine.vocabulary.categories.objection);
        let left = changed && from == handling;
        let settled = roles.has(Roles::POSITIVE) && streak == 0;
        let dropped = left && (self.settings.switches.return_state || !roles.has(Roles::OBJECTION));
        if settled || dropped {
            session.return_state = None;
        }
    }

    /// What signals and the guard remember of the turn.
    fn remember(&self, session: &mut Session, decision: &Decision, from: StateId) {
        if self.settings.signals == SignalMode::Derived {
            let trace = TurnSummary {
                intent: self.intent,
                confidence: self.input.confidence.unwrap_or_else(|| Float::new(1.0)),
                from,
                to: decision.to,
                say: self.input.say.as_deref().unwrap_or_default(),
                has_data: !self.input.data.values().is_empty(),
            };
            session.window.push(&trace, self.machine);
        }
        if self.settings.guard.is_some() {
            let brought = self.input.data.values().iter().any(|(_, value)| !value.is_null());
            if brought || decision.to != from {
                session.guard.progress();
            }
        }
    }
}
