//! The record of a turn: all that happened and why. What every consumer lives on.

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

/// What watches a turn being played. The default watches nothing and costs nothing.
pub trait Observer {
    /// Whether proposals that lost are looked at, so that all must be ranked.
    const RECORDS: bool = true;

    /// When the operations before the turn are done, with the moves among them.
    fn moved(&mut self, _moves: Vec<OutsideMove>) {}

    /// Before anything changes.
    fn begin(&mut self, _machine: &Machine, _session: &Session) {}

    /// When the turn is committed, of a machine with properties.
    fn over(&mut self, _turn: &FinishedTurn<'_>) {}

    /// After the turn is committed.
    fn end(&mut self, _played: &PlayedTurn<'_>) {}
}

impl Observer for () {
    const RECORDS: bool = false;
}

/// A turn that was played, to be looked at before the board is taken down.
pub struct PlayedTurn<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    /// The session after the turn.
    pub session: &'a Session,
    pub intent: IntentId,
    /// The proposals.
    pub board: &'a Blackboard,
    /// What was decided.
    pub decision: &'a Decision,
    pub notes: &'a PolicyNotes,
    /// The answers that were used.
    pub answers: &'a [Answer],
    /// What the turn brought that is no data.
    pub refused: &'a [Fault],
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
    /// What else there is to say of the turn, beside why its action and its transition won.
    pub notes: Vec<Reason>,
    /// Texts that reasons refer to.
    pub texts: Vec<Box<str>>,
    /// The proposals that lost, best first.
    pub rejected: Vec<Proposal>,
    /// What was carried over.
    pub carryover: Carryover,
    /// The moves that were made from outside before the turn.
    pub moves: Vec<OutsideMove>,
    /// Names of data for which there was no room.
    pub refused: Vec<Arc<str>>,
    /// Required data of the new state that is missing.
    pub missing: Vec<SlotId>,
    /// Sources that failed, and why.
    pub errors: Vec<(SourceKind, Box<str>)>,
    /// What happened at choices, forks and joins.
    pub events: Vec<NodeEvent>,
    /// What the turn would have done to the world, and what became of it.
    pub effects: Vec<Effect>,
    /// What the machine said by itself.
    pub replies: Vec<Box<str>>,
    /// What operations were not allowed to do, and properties that do not hold.
    pub faults: Vec<Fault>,
    /// What the turn shows of the properties that one turn cannot judge.
    pub sights: Vec<PropertyView>,
    pub policies: PolicyNotes,
    /// The counters after the turn, in the order of the machine.
    pub counters: SmallVec<[i64; 4]>,
    /// What was meant.
    pub intent: Option<IntentId>,
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
    pub state: Change<StateId>,
    /// The phase, as the states give it.
    pub phase: Change<Option<PhaseId>>,
    pub action: ActionId,
    /// The structural class.
    pub class: Class,
    /// How action and transition came together.
    pub merge: Merge,
    /// Who decided the action; nobody, where no action won.
    pub by_action: Option<Won>,
    /// Who decided the transition; nobody, where none won.
    pub by_transition: Option<Won>,
    /// Whether the dialogue is over.
    pub is_final: bool,
    /// The state that is kept to return to.
    pub return_state: Option<StateId>,
}

/// Something before and after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change<T> {
    /// Before.
    pub from: T,
    /// After.
    pub to: T,
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
            return_state: session.return_state,
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
        self.faults.clear();
        self.faults.extend_from_slice(played.refused);
        self.replies.clear();
        self.replies.extend_from_slice(&decision.replies);
        if let Some(draft) = &decision.draft {
            self.effects.extend_from_slice(&draft.effects);
            self.faults.extend_from_slice(&draft.faults);
        }
        self.policies.clone_from(played.notes);
        self.counters.clear();
        let counter = |id| machine.counter(session, settings, id);
        self.counters
            .extend(machine.names.counters.ids().map(counter));
        self.answers.clear();
        self.answers.extend_from_slice(played.answers);
        self.intent = Some(played.intent);
        self.taken = played.taken.map(|taken| (taken, played.intent));
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
            return_state: session.return_state,
        });
    }
}

impl TurnRecord {
    /// How many items a list in a slot already had before the turn; none, where it is another list since.
    pub fn known_before(&self, slot: SlotId, now: &List) -> usize {
        match self.slots_before.get(slot) {
            Value::List(before) if now.starts_with(before) => before.len(),
            _ => 0,
        }
    }

    /// All reasons of the turn: of its action, then of its transition, then the notes.
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
