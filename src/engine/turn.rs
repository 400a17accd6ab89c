//! One turn, as a pure step: read, contribute, resolve, gate, commit, and whoever watches records.

use std::borrow::Cow;

use super::board::Blackboard;
use super::commit::Commit;
use super::contract::{Choice, Facts, Settled, choose, give_back, read_phrase, settle, withdraw};
use super::contribute::contribute;
use super::doubt::{ReadingDecision, assess_confidence};
use super::gate::gate;
use super::input::Input;
use super::need::{Answer, CLASSIFY, DECIDE, NAVIGATE, Need, answer_of};
use super::read::{branch_of, intent_of, need, read, signals};
use super::reason::Reason;
use super::record::{Observer, PlayedTurn, TurnRecord};
use super::resolve::{give_up, resolve};
use super::session::Session;
use super::view::TurnContext;
use crate::machine::{Machine, Settings};

/// What a turn comes to.
#[derive(Debug)]
pub enum TurnStep {
    /// Something is needed from outside; play the turn again with the answer.
    Need(Need),
    /// The session after the turn, and what happened.
    Done(Box<(Session, TurnRecord)>),
}

/// Plays one turn. Nothing is changed; the same arguments always give the same result.
#[must_use]
pub fn turn(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
    answers: &[Answer],
) -> TurnStep {
    let mut next = session.clone();
    let mut record = TurnRecord::default();
    match advance(machine, settings, &mut next, input, answers, &mut Blackboard::default(), &mut record) {
        Some(need) => TurnStep::Need(need),
        None => TurnStep::Done(Box::new((next, record))),
    }
}

/// Plays one turn on the session itself. Where something is needed from outside it is returned, and the session is as it
/// was.
///
/// `board` is scratch space, used again from turn to turn.
pub fn advance<O: Observer>(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    answers: &[Answer],
    board: &mut Blackboard,
    observer: &mut O,
) -> Option<Need> {
    let (understood, taken) = match understand(machine, settings, session, input, answers) {
        Ok(understood) => understood,
        Err(Some(need)) => return Some(need),
        Err(None) => {
            hold(machine, settings, session, input, answers, board, observer);
            return None;
        }
    };
    let input = &*understood;
    let branch = branch_of(machine, session, input);
    if settings.model
        && answer_of(answers, DECIDE).is_none()
        && let Some(need) = need(machine, settings, session, branch)
    {
        return Some(need);
    }
    // What the gates need is known only in mid-turn; then the turn is played again from here.
    let contract = machine.contract.as_deref();
    let untouched = (machine.instructions.is_some() || contract.is_some()).then(|| session.clone());
    if let Some(branch) = branch {
        session.enter_branch(branch, machine);
    }
    observer.begin(machine, session);
    board.clear();
    let intent = intent_of(machine, session, input);
    let signals = signals(machine, settings, session, input, intent);
    let reading = read(machine, settings, session, input, intent);
    let taken_back = contract.map(|contract| withdraw(contract, &mut session.slots)).unwrap_or_default();
    let facts = untouched.as_ref().filter(|_| contract.is_some()).map(|before| Facts {
        before: &before.slots,
        outcome: None,
        executed: false,
        class: None,
    });
    let mut view = TurnContext {
        machine,
        settings,
        session,
        input,
        answer: answer_of(answers, DECIDE),
        intent,
        state: session.position.state,
        signals: signals.as_ref(),
        objections_before: reading.objections_before,
        facts,
    };
    let choice = choose(&view);
    if let (Some(facts), Some(choice)) = (&mut view.facts, &choice) {
        facts.class = choice.class;
    }
    let mut decision = if reading.null_data {
        give_up(machine, view.state, Reason::ProcessingError)
    } else {
        contribute(&view, board);
        resolve(&view, board, O::RECORDS)
    };
    let need = gate(&view, board, &mut decision, answers).or_else(|| {
        let choice = choice.filter(|_| !decision.failed)?;
        settle(&view, choice, &mut decision, answers)
    });
    if let Some(need) = need {
        if let Some(untouched) = untouched {
            *session = untouched;
        }
        return Some(need);
    }
    let roles = view.meaning().roles;
    if decision.failed {
        give_back(taken_back, &mut session.slots);
    }
    let commit = Commit { machine, settings, input, intent, roles };
    commit.apply(session, board, &mut decision);
    observer.end(&PlayedTurn {
        machine,
        settings,
        session,
        intent,
        board,
        decision: &decision,
        answers,
        taken,
    });
    None
}

/// What is meant by an input: as it says itself, else as a phrase of the contract reads it, else as somebody else does;
/// and how such a reading was taken, where it said how certain it is.
///
/// # Errors
/// The need for somebody who says it; nothing, where nobody could.
#[inline]
fn understand<'i>(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &'i Input,
    answers: &[Answer],
) -> Result<(Cow<'i, Input>, Option<ReadingDecision>), Option<Need>> {
    let state = session.position.state;
    if machine.instructions.is_some() {
        if !input.needs_navigation() {
            return Ok((read_phrase(input, machine).map_or(Cow::Borrowed(input), Cow::Owned), None));
        }
        let Some(answer) = answer_of(answers, NAVIGATE) else {
            return Err(Some(Need::Navigate { state }));
        };
        return match &answer.value {
            Some(answer) => {
                let led = input.with_navigation(answer, machine);
                Ok((Cow::Owned(read_phrase(&led, machine).unwrap_or(led)), None))
            }
            None => Err(None),
        };
    }
    if !input.is_unread() {
        return Ok((Cow::Borrowed(input), None));
    }
    if let Some(read) = read_phrase(input, machine) {
        return Ok((Cow::Owned(read), None));
    }
    let Some(answer) = answer_of(answers, CLASSIFY) else {
        return Err(Some(Need::Classify { state }));
    };
    let reading = answer.value.as_ref();
    let Some(mut read) = reading.and_then(|reading| input.read_as(reading, machine)) else {
        return Err(None);
    };
    let taken = reading
        .and_then(|reading| assess_confidence(machine, settings, &session.clarification, reading, &mut read));
    Ok((Cow::Owned(read), taken))
}

/// A turn that nobody could read: the dialogue holds, and the session stays as it is.
fn hold<O: Observer>(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    answers: &[Answer],
    board: &mut Blackboard,
    observer: &mut O,
) {
    observer.begin(machine, session);
    board.clear();
    let intent = intent_of(machine, session, input);
    let mut decision = give_up(machine, session.position.state, Reason::NotUnderstood);
    if machine.contract.as_ref().is_some_and(|contract| !contract.classes.is_empty()) {
        decision.contract = Some(Box::new(Settled::unclassified(Choice::default())));
    }
    let decision = &decision;
    observer.end(&PlayedTurn { machine, settings, session, intent, board, decision, answers, taken: None });
}
