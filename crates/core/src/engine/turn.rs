//! One turn, as a pure step: read, contribute, resolve, gate, speak, commit. An observer records the turn.

use super::commit::Commit;
use super::contribute::contribute;
use super::gate::pass_gates;
use super::read::{Reading, begin, branch_of, intent_of, read, signals};
use super::resolve::resolve;
use super::speak::speak;
use super::{
    Answer, Blackboard, Decision, Fault, FinishedTurn, Input, Machine, Need, Observer, PlayedTurn,
    PolicyNotes, ReadingDecision, Reason, Session, Settings, Slots, TurnContext, TurnFacts,
    TurnRecord, TurnWatch,
};
use crate::machine::IntentId;

/// The result of a step.
#[derive(Debug)]
pub enum TurnStep {
    /// The turn needs an answer from outside; run it again with the answer.
    Need(Need),
    /// The session after the turn, and the record.
    Done(Box<(Session, TurnRecord)>),
}

/// Scratch space, reused from turn to turn.
#[derive(Debug, Default)]
pub struct Scratch {
    board: Blackboard,
    notes: PolicyNotes,
    /// The working copy of the session, for turns that can need an answer in the middle.
    draft: Option<Session>,
    /// The messages of the machine in the last turn.
    said: Vec<Box<str>>,
    /// The recorder of condition values.
    watch: Option<Box<TurnWatch>>,
}

impl Scratch {
    /// Starts recording condition values.
    pub fn start_watching(&mut self) {
        self.watch.get_or_insert_default();
    }

    /// The recorded events of the last turn, if recording is on.
    pub fn watch(&self) -> Option<&TurnWatch> {
        self.watch.as_deref()
    }

    /// The messages of the machine in the last turn.
    pub fn said(&self) -> &[Box<str>] {
        &self.said
    }
}

/// Runs one turn. Does not change its arguments; the same arguments always return the same result.
pub fn turn(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
    answers: &[Answer],
) -> TurnStep {
    let mut next = session.clone();
    let mut record = TurnRecord::default();
    match advance(
        machine,
        settings,
        &mut next,
        input,
        answers,
        &mut Scratch::default(),
        &mut record,
    ) {
        Some(need) => TurnStep::Need(need),
        None => TurnStep::Done(Box::new((next, record))),
    }
}

/// Runs one turn on the session. If an answer from outside is needed, returns the need and leaves the session
/// unchanged.
pub fn advance<O: Observer>(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    answers: &[Answer],
    scratch: &mut Scratch,
    observer: &mut O,
) -> Option<Need> {
    let reading = read(machine, settings, session, input, answers);
    let Scratch {
        board,
        notes,
        draft,
        said,
        watch,
    } = scratch;
    board.clear();
    said.clear();
    if let Some(watch) = watch {
        watch.clear();
    }
    let watch = watch.as_deref();
    machine.policies.begin_notes(notes);
    let refused = match &reading {
        Reading::Ready(_, _, refused) => refused.as_slice(),
        _ => &[],
    };
    let mut turn = Turn {
        machine,
        settings,
        answers,
        refused,
        watch,
        board,
        notes,
        said,
    };
    let (input, disposition) = match &reading {
        Reading::Need(need) => return Some(need.clone()),
        Reading::Unread => {
            turn.hold(session, input, observer);
            return None;
        }
        Reading::Ready(input, disposition, _) => (&**input, *disposition),
    };
    let branch = branch_of(machine, settings, session, input);
    let state = session.state_of_turn(branch);
    if settings.model
        && let Some(need) = machine
            .policies
            .ask(machine, settings, session, answers, state)
    {
        return Some(need);
    }
    if !machine.policies.ask_in_mid_turn() && !machine.looks_back {
        return turn.play(session, None, branch, input, disposition, observer);
    }
    // A need can arise in the middle of the turn, so the turn runs on a copy and the session stays unchanged. The same
    // applies if the turn reads the data from before the turn.
    let draft = draft.get_or_insert_with(|| session.clone());
    draft.copy_from(session);
    let need = turn.play(
        draft,
        Some(&session.slots),
        branch,
        input,
        disposition,
        observer,
    );
    if need.is_none() {
        std::mem::swap(session, draft);
    }
    need
}

/// A turn in progress.
struct Turn<'a> {
    machine: &'a Machine,
    settings: &'a Settings,
    answers: &'a [Answer],
    /// Data of the turn that was rejected.
    refused: &'a [Fault],
    watch: Option<&'a TurnWatch>,
    board: &'a mut Blackboard,
    notes: &'a mut PolicyNotes,
    said: &'a mut Vec<Box<str>>,
}

impl Turn<'_> {
    /// Runs the turn on this session; `was` is the data before the turn, if retained.
    fn play<O: Observer>(
        &mut self,
        session: &mut Session,
        was: Option<&Slots>,
        branch: Option<usize>,
        input: &Input,
        disposition: Option<ReadingDecision>,
        observer: &mut O,
    ) -> Option<Need> {
        let Self {
            machine,
            settings,
            answers,
            watch,
            ..
        } = *self;
        if let Some(branch) = branch {
            session.enter_branch(branch, machine);
        }
        observer.begin(machine, session);
        let intent = intent_of(machine, session, input);
        let signals = signals(machine, settings, session, input, intent);
        let null_data = begin(machine, settings, session, input, intent, self.notes);
        let mut turn = TurnContext {
            was: was.unwrap_or(&session.slots),
            answers,
            signals: signals.as_ref(),
            watch,
            ..TurnContext::new(machine, settings, session, session, input, intent)
        };
        let facts = TurnFacts {
            class: machine.policies.prepare(self.notes, &turn),
            ..TurnFacts::NONE
        };
        turn.facts = &facts;
        let mut decision = if null_data {
            Decision::give_up(machine, turn.state, Reason::ProcessingError)
        } else {
            contribute(&turn, self.notes, self.board);
            resolve(&turn, self.board, O::RECORDS)
        };
        if machine.policies.ask_in_mid_turn() || machine.has_ops() {
            let need = pass_gates(&turn, self.notes, &mut decision);
            if let Some(need) = need.or_else(|| speak(&turn, &mut decision)) {
                return Some(need);
            }
        }
        let from = turn.state;
        Commit {
            machine,
            settings,
            input,
            intent,
        }
        .apply(session, self.board, self.notes, &mut decision);
        if !machine.properties.is_empty() {
            let was = was.unwrap_or(&session.slots);
            let signals = signals.as_ref();
            let done = decision.draft.as_deref();
            let effects = done.map_or(&[][..], |done| &done.effects);
            let replies = &*decision.replies;
            let facts = TurnFacts {
                from: Some(from),
                effects,
                replies,
                ..facts
            };
            let over = TurnContext {
                was,
                answers,
                signals,
                watch,
                ..TurnContext::new(machine, settings, session, session, input, intent)
            };
            let over = FinishedTurn::played(over, facts);
            let broken: Vec<Fault> = over.broken().map(Fault::Property).collect();
            observer.over(&over);
            if !broken.is_empty() {
                let draft = decision.draft.get_or_insert_default();
                draft.violations.extend(broken);
            }
        }
        self.said.extend_from_slice(&decision.replies);
        self.record(session, intent, &decision, disposition, observer);
        session.slots.forget_refused();
        None
    }

    /// A turn that no recognizer could classify: the state and the session stay unchanged.
    fn hold<O: Observer>(&mut self, session: &mut Session, input: &Input, observer: &mut O) {
        let machine = self.machine;
        observer.begin(machine, session);
        let intent = intent_of(machine, session, input);
        let decision = Decision::give_up(machine, session.position.state, Reason::NotUnderstood);
        machine.policies.unread(self.notes);
        self.record(session, intent, &decision, None, observer);
        session.slots.forget_refused();
    }

    fn record<O: Observer>(
        &self,
        session: &Session,
        intent: IntentId,
        decision: &Decision,
        disposition: Option<ReadingDecision>,
        observer: &mut O,
    ) {
        let Self {
            machine,
            settings,
            answers,
            refused,
            ..
        } = *self;
        let board = &*self.board;
        let notes = &*self.notes;
        observer.end(&PlayedTurn {
            machine,
            settings,
            session,
            intent,
            board,
            decision,
            notes,
            answers,
            refused,
            disposition,
        });
    }
}
