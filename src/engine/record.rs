//! The record of a turn: all that happened and why. What every consumer lives on.

use super::board::{Blackboard, Proposal};
use super::classify::{Before, Class, classify};
use super::contract::Settled;
use super::dag::NodeEvent;
use super::doubt::ReadingDecision;
use super::effect::Effect;
use super::name::Symbol;
use super::need::Answer;
use super::reason::Reason;
use super::reply::LimitViolation;
use super::resolve::{Decision, Merge, rejected, source_of};
use super::session::Session;
use super::slots::Slots;
use super::view::is_missing;
use crate::machine::{
    ActionId, IntentId, Machine, PhaseId, RuleId, Settings, SlotId, SourceKind, StateId, Value,
};

/// What watches a turn being played. The default watches nothing and costs nothing.
pub trait Observer {
    /// Whether proposals that lost are looked at, so that all must be ranked.
    const RECORDS: bool = true;

    /// Before anything changes.
    fn begin(&mut self, machine: &Machine, session: &Session) {
        let _ = (machine, session);
    }

    /// After the turn is committed.
    fn end(&mut self, played: &PlayedTurn<'_>) {
        let _ = played;
    }
}

impl Observer for () {
    const RECORDS: bool = false;
}

/// A turn that was played, to be looked at before the board is taken down.
pub struct PlayedTurn<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The settings.
    pub settings: &'a Settings,
    /// The session after the turn.
    pub session: &'a Session,
    /// The intent of the turn.
    pub intent: IntentId,
    /// The proposals.
    pub board: &'a Blackboard,
    /// What was decided.
    pub decision: &'a Decision,
    /// The answers that were used.
    pub answers: &'a [Answer],
    /// How a reading from outside was taken, where it said how certain it is.
    pub taken: Option<ReadingDecision>,
}

/// The record of one turn. One value is used again from turn to turn.
#[derive(Debug, Default)]
pub struct TurnRecord {
    /// The number of the turn in its dialogue, from 1.
    pub turn: u32,
    /// How many intents were counted.
    pub turn_number: u32,
    /// What every turn has; nothing before the first.
    pub outcome: Option<TurnOutcome>,
    /// The states between the first and the last, where a move took several steps.
    pub path: Vec<StateId>,
    /// Why, as the reasons of the winning action and move.
    pub reasons: Vec<Reason>,
    /// Texts that reasons refer to.
    pub texts: Vec<Box<str>>,
    /// The proposals that lost, best first.
    pub rejected: Vec<Proposal>,
    /// What was carried over.
    pub carryover: Carryover,
    /// Required data of the new state that is missing.
    pub missing: Vec<SlotId>,
    /// Sources that failed, and why.
    pub errors: Vec<(SourceKind, Box<str>)>,
    /// What happened at choices, forks and joins.
    pub events: Vec<NodeEvent>,
    /// What the turn would have done to the world, and what became of it.
    pub effects: Vec<Effect>,
    /// The limits that the reply went past.
    pub limit_violations: Vec<LimitViolation>,
    /// What a turn of its class came to, where the machine has classes.
    pub settled: Option<Box<Settled>>,
    /// The answers that were used.
    pub answers: Vec<Answer>,
    /// How a reading from outside was taken and the intent that came of it, where the reading said how certain it is.
    pub taken: Option<(ReadingDecision, IntentId)>,
    before: Option<Before>,
    slots_before: Slots,
}

/// What every turn comes to.
#[derive(Clone, Copy, Debug)]
pub struct TurnOutcome {
    /// The state before and after.
    pub states: (StateId, StateId),
    /// The phase before and after, as the states give it.
    pub phases: (Option<PhaseId>, Option<PhaseId>),
    /// The action.
    pub action: ActionId,
    /// The structural class.
    pub class: Class,
    /// How action and move came together.
    pub merge: Merge,
    /// Whose action won.
    pub action_by: Option<SourceKind>,
    /// Whose move won.
    pub move_by: Option<SourceKind>,
    /// The rule of the winning action.
    pub action_rule: Option<RuleId>,
    /// The rule of the winning move.
    pub move_rule: Option<RuleId>,
    /// Whether the dialogue is over.
    pub is_final: bool,
    /// Steps back so far, and left.
    pub go_backs: (i64, i64),
    /// Objections in a row, and in all.
    pub objections: (u32, u32),
    /// The state that is kept to return to.
    pub return_state: Option<StateId>,
}

/// Which data was carried over a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carryover {
    /// There before and after, unchanged.
    pub kept: Vec<Symbol<SlotId>>,
    /// Only there after.
    pub added: Vec<Symbol<SlotId>>,
    /// There before and after, but not the same.
    pub changed: Vec<Symbol<SlotId>>,
    /// Only there before.
    pub dropped: Vec<Symbol<SlotId>>,
}

impl Carryover {
    fn fill(&mut self, before: &Slots, after: &Slots) {
        for list in [&mut self.kept, &mut self.added, &mut self.changed, &mut self.dropped] {
            list.clear();
        }
        after.compare(before, |name, before, after| {
            let list = match (before, after) {
                (Value::Null, Value::Null) => return,
                (Value::Null, _) => &mut self.added,
                (_, Value::Null) => &mut self.dropped,
                (before, after) if before == after => &mut self.kept,
                _ => &mut self.changed,
            };
            list.push(name.to_name());
        });
    }
}

impl Observer for TurnRecord {
    fn begin(&mut self, machine: &Machine, session: &Session) {
        self.slots_before.copy_from(&session.slots);
        self.before = Some(Before {
            state: session.position.state,
            return_state: session.return_state,
            was_final: session.is_final(machine),
            phase_entered: session.phase_entered,
        });
    }

    fn end(&mut self, played: &PlayedTurn<'_>) {
        let PlayedTurn { machine, settings, session, board, decision, .. } = played;
        let Some(before) = self.before.take() else { return };
        let to = session.position.state;
        self.turn += 1;
        self.turn_number = session.tracker.turn();
        self.reasons.clear();
        self.reasons.extend_from_slice(&decision.reasons);
        self.texts.clone_from(&board.texts);
        self.rejected.clear();
        let order = rejected(board, decision, settings.switches.source_order);
        self.rejected.extend(order.iter().filter_map(|number| board.proposals.get(*number).copied()));
        self.carryover.fill(&self.slots_before, &session.slots);
        self.missing.clear();
        let required = machine.state(to).required.iter();
        self.missing.extend(required.filter(|slot| is_missing(session.slots.get(**slot), settings)));
        self.path.clear();
        self.events.clear();
        if let Some(passage) = &decision.passage {
            self.path.extend_from_slice(&passage.path);
            self.events.extend_from_slice(&passage.events);
        }
        self.errors.clear();
        self.errors.extend(board.errors.iter().cloned());
        self.effects.clear();
        self.effects.extend_from_slice(&decision.effects);
        self.limit_violations.clear();
        self.limit_violations.extend_from_slice(&decision.limit_violations);
        self.settled.clone_from(&decision.contract);
        self.answers.clear();
        self.answers.extend_from_slice(played.answers);
        self.taken = played.taken.map(|taken| (taken, played.intent));
        let rule = |number: Option<usize>| board.proposals.get(number?)?.rule;
        let objection = machine.vocabulary.categories.objection;
        self.outcome = Some(TurnOutcome {
            states: (before.state, to),
            phases: (machine.state(before.state).phase, machine.state(to).phase),
            action: decision.action,
            class: classify(machine, &before, session, machine.intent(played.intent).roles, board, decision),
            merge: decision.merge,
            action_by: source_of(board, decision.winning_action),
            move_by: source_of(board, decision.winning_move),
            action_rule: rule(decision.winning_action),
            move_rule: rule(decision.winning_move),
            is_final: session.is_final(machine),
            go_backs: (
                i64::try_from(session.go_backs.len()).unwrap_or(i64::MAX),
                session.go_backs_left(settings),
            ),
            objections: (
                session.tracker.category_streak(objection),
                session.tracker.category_total(objection),
            ),
            return_state: session.return_state,
        });
    }
}
