//! The record of a turn: everything that happened, with reasons. All consumers use it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::classify::{Before, classify};
use super::resolve::rejected;
use super::{
    Answer, Blackboard, Class, Decision, Effect, Fault, FinishedTurn, Machine, Merge, NodeEvent,
    OutsideMove, PolicyNotes, PropertyView, Proposal, ReadingDecision, Reason, Session, Settings,
    Slots, SourceKind, Symbol, Won, is_missing,
};
use crate::machine::{ActionId, IntentId, List, PhaseId, PropertyKind, SlotId, StateId, Value};

/// An observer of a turn. The default methods observe nothing and cost nothing.
pub trait Observer {
    /// Whether losing proposals are recorded, so that all proposals must be ranked.
    const RECORDS: bool = true;

    /// Called after the operations before the turn, with the moves among them.
    fn moved(&mut self, _moves: Vec<OutsideMove>) {}

    /// Called before any change.
    fn begin(&mut self, _machine: &Machine, _session: &Session) {}

    /// Called when the turn of a machine with properties is committed.
    fn over(&mut self, _turn: &FinishedTurn<'_>) {}

    /// Called after the turn is committed.
    fn end(&mut self, _played: &PlayedTurn<'_>) {}
}

impl Observer for () {
    const RECORDS: bool = false;
}

/// A completed turn, before its blackboard is cleared.
pub struct PlayedTurn<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    /// The session after the turn.
    pub session: &'a Session,
    pub intent: IntentId,
    /// The proposals.
    pub board: &'a Blackboard,
    /// The decision.
    pub decision: &'a Decision,
    pub notes: &'a PolicyNotes,
    /// The answers that were used.
    pub answers: &'a [Answer],
    /// Data of the turn that was rejected.
    pub refused: &'a [Fault],
    /// How the answer of a recognizer was accepted, if it has a confidence.
    pub disposition: Option<ReadingDecision>,
}

/// The record of one turn. The value is reused from turn to turn.
#[derive(Debug, Default)]
pub struct TurnRecord {
    /// The number of the turn in its dialogue, starting at 1.
    pub turn: u32,
    /// The number of counted intents.
    pub turn_number: u32,
    /// The outcome; `None` before the first turn.
    pub outcome: Option<TurnOutcome>,
    /// The states between the first and the last, if the transition had several steps.
    pub path: Vec<StateId>,
    /// Further reasons of the turn, in addition to those of its action and its transition.
    pub notes: Vec<Reason>,
    /// Strings that reasons refer to.
    pub texts: Vec<Box<str>>,
    /// The proposals that lost, best first.
    pub rejected: Vec<Proposal>,
    /// The carryover of data.
    pub carryover: Carryover,
    /// The moves made from outside before the turn.
    pub moves: Vec<OutsideMove>,
    /// Names of slots that exceeded the limit.
    pub refused: Vec<Arc<str>>,
    /// Required data of the new state that is missing.
    pub missing: Vec<SlotId>,
    /// Sources that failed, with the errors.
    pub errors: Vec<(SourceKind, Box<str>)>,
    /// Events at choices, forks and joins.
    pub events: Vec<NodeEvent>,
    /// The effects of the turn, with their outcomes.
    pub effects: Vec<Effect>,
    /// The messages of the machine.
    pub replies: Vec<Box<str>>,
    /// Rejected changes of operations, and properties that do not hold.
    pub violations: Vec<Fault>,
    /// The evaluations of properties that a single turn cannot decide.
    pub sights: Vec<PropertyView>,
    pub policies: PolicyNotes,
    /// The counters after the turn, in the order of the machine.
    pub counters: SmallVec<[i64; 4]>,
    /// The intent.
    pub intent: Option<IntentId>,
    /// The answers that were used.
    pub answers: Vec<Answer>,
    /// How the answer of a recognizer was accepted and the resulting intent, if it has a confidence.
    pub disposition: Option<(ReadingDecision, IntentId)>,
    before: Option<Before>,
    slots_before: Slots,
}

/// The outcome of a turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnOutcome {
    pub state: Change<StateId>,
    /// The phase, according to the states.
    pub phase: Change<Option<PhaseId>>,
    pub action: ActionId,
    /// The structural class.
    pub class: Class,
    /// How action and transition were merged.
    pub merge: Merge,
    /// The winning proposal of an action; `None` if no action won.
    pub by_action: Option<Won>,
    /// The winning proposal of a transition; `None` if no transition won.
    pub by_transition: Option<Won>,
    /// Whether the dialogue has ended.
    pub is_final: bool,
    /// The return state.
    pub return_state: Option<StateId>,
}

/// A value before and after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change<T> {
    /// The value before the turn.
    pub from: T,
    /// The value after the turn.
    pub to: T,
}

/// The changes of data in a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carryover {
    /// Present before and after the turn, unchanged.
    pub kept: Vec<Symbol<SlotId>>,
    /// Only present after the turn.
    pub added: Vec<Symbol<SlotId>>,
    /// Present before and after the turn, with different values.
    pub changed: Vec<Symbol<SlotId>>,
    /// Only present before the turn.
    pub dropped: Vec<Symbol<SlotId>>,
}

impl Carryover {
    fn fill(&mut self, before: &Slots, after: &Slots) {
        for list in [
            &mut self.kept,
            &mut self.added,
            &mut self.changed,
            &mut self.dropped,
        ] {
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
    fn moved(&mut self, moves: Vec<OutsideMove>) {
        self.moves = moves;
    }

    fn begin(&mut self, machine: &Machine, session: &Session) {
        self.sights.clear();
        self.slots_before.copy_from(&session.slots);
        self.before = Some(Before {
            state: session.position.state,
            return_state: session.return_state(),
            was_final: session.is_final(machine),
            phase_entered: session.phase_entered,
        });
    }

    fn over(&mut self, turn: &FinishedTurn<'_>) {
        self.sights.extend(turn.sights(PropertyKind::is_lasting));
    }

    fn end(&mut self, played: &PlayedTurn<'_>) {
        let PlayedTurn {
            machine,
            settings,
            session,
            board,
            decision,
            ..
        } = played;
        let Some(before) = self.before.take() else {
            return;
        };
        let to = session.position.state;
        self.turn += 1;
        self.turn_number = session.tracker.turn();
        self.notes.clear();
        self.notes.extend_from_slice(&decision.notes);
        self.texts.clone_from(&board.texts);
        self.rejected.clear();
        let order = rejected(board, decision, settings.switches.source_order);
        self.rejected.extend(
            order
                .iter()
                .filter_map(|number| board.proposals.get(*number).copied()),
        );
        self.carryover.fill(&self.slots_before, &session.slots);
        self.refused.clear();
        self.refused.extend_from_slice(session.slots.refused());
        self.missing.clear();
        let required = machine.state(to).required.iter();
        self.missing
            .extend(required.filter(|slot| is_missing(session.slots.get(**slot), settings)));
        self.path.clear();
        self.events.clear();
        if let Some(traversal) = &decision.traversal {
            self.path.extend_from_slice(&traversal.path);
            self.events.extend_from_slice(&traversal.events);
        }
        self.errors.clear();
        self.errors.extend(board.errors.iter().cloned());
        self.effects.clear();
        self.violations.clear();
        self.violations.extend_from_slice(played.refused);
        self.replies.clear();
        self.replies.extend_from_slice(&decision.replies);
        if let Some(draft) = &decision.draft {
            self.effects.extend_from_slice(&draft.effects);
            self.violations.extend_from_slice(&draft.violations);
        }
        self.policies.clone_from(played.notes);
        self.counters.clear();
        let counter = |id| machine.counter(session, settings, id);
        self.counters
            .extend(machine.names.counters.ids().map(counter));
        self.answers.clear();
        self.answers.extend_from_slice(played.answers);
        self.intent = Some(played.intent);
        self.disposition = played
            .disposition
            .map(|disposition| (disposition, played.intent));
        let phase = |state: StateId| machine.state(state).phase;
        self.outcome = Some(TurnOutcome {
            state: Change {
                from: before.state,
                to,
            },
            phase: Change {
                from: phase(before.state),
                to: phase(to),
            },
            action: decision.action,
            class: classify(machine, &before, session, board, decision),
            merge: decision.merge,
            by_action: decision.by_action,
            by_transition: decision.by_transition,
            is_final: session.is_final(machine),
            return_state: session.return_state(),
        });
    }
}

impl TurnRecord {
    /// The number of items that a list in a slot had before the turn; 0 if the list was replaced.
    pub fn known_before(&self, slot: SlotId, now: &List) -> usize {
        match self.slots_before.get(slot) {
            Value::List(before) if now.starts_with(before) => before.len(),
            _ => 0,
        }
    }

    /// All reasons of the turn: those of the action and the transition, then the notes.
    pub fn reasons(&self) -> impl Iterator<Item = Reason> {
        let outcome = self.outcome.as_ref();
        let won = outcome
            .into_iter()
            .flat_map(|outcome| [outcome.by_action, outcome.by_transition]);
        won.flatten()
            .map(|won| won.reason)
            .chain(self.notes.iter().copied())
    }
}
