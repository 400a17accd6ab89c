//! One turn, as a pure step: read, contribute, resolve, gate, commit, and whoever watches records.

use super::board::Board;
use super::commit::Commit;
use super::contribute::contribute;
use super::doubt::weigh;
use super::gate::gate;
use super::input::Input;
use super::need::{Answer, CLASSIFY, DECIDE, NAVIGATE, Need, answer_of};
use super::read::{branch_of, intent_of, need, read, signals};
use super::reason::Reason;
use super::record::{Observer, Played, TurnRecord};
use super::resolve::{give_up, resolve};
use super::session::Session;
use super::view::View;
use crate::machine::{Machine, Settings};

/// What a turn comes to.
#[derive(Debug)]
pub enum Step {
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
) -> Step {
    let mut next = session.clone();
    let mut record = TurnRecord::default();
    match advance(machine, settings, &mut next, input, answers, &mut Board::default(), &mut record) {
        Some(need) => Step::Need(need),
        None => Step::Done(Box::new((next, record))),
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
    board: &mut Board,
    observer: &mut O,
) -> Option<Need> {
    let guided = machine.guidance.is_some();
    let read_by_others;
    let mut taken = None;
    let input = if guided && input.is_unled() {
        let Some(answer) = answer_of(answers, NAVIGATE) else {
            return Some(Need::Navigate { state: session.position.state });
        };
        let Some(answer) = &answer.value else {
            hold(machine, settings, session, input, answers, board, observer);
            return None;
        };
        read_by_others = input.led_by(answer, machine);
        &read_by_others
    } else if !guided && input.is_unread() {
        let Some(answer) = answer_of(answers, CLASSIFY) else {
            return Some(Need::Classify { state: session.position.state });
        };
        match answer.value.as_ref().and_then(|reading| input.read_as(reading, machine)) {
            Some(mut read) => {
                let reading = answer.value.as_ref();
                taken = reading
                    .and_then(|reading| weigh(machine, settings, &session.clarification, reading, &mut read));
                read_by_others = read;
                &read_by_others
            }
            None => {
                hold(machine, settings, session, input, answers, board, observer);
                return None;
            }
        }
    } else {
        input
    };
    let branch = branch_of(machine, session, input);
    if settings.model
        && answer_of(answers, DECIDE).is_none()
        && let Some(need) = need(machine, settings, session, branch)
    {
        return Some(need);
    }
    // What the gates need is known only in mid-turn; then the turn is played again from here.
    let untouched = guided.then(|| session.clone());
    if let Some(branch) = branch {
        session.enter_branch(branch, machine);
    }
    observer.begin(machine, session);
    board.clear();
    let intent = intent_of(machine, session, input);
    let signals = signals(machine, settings, session, input, intent);
    let reading = read(machine, settings, session, input, intent);
    let view = View {
        machine,
        settings,
        session,
        input,
        answer: answer_of(answers, DECIDE),
        intent,
        state: session.position.state,
        signals: signals.as_ref(),
        objections_before: reading.objections_before,
    };
    let mut decision = if reading.null_data {
        give_up(machine, view.state, Reason::ProcessingError)
    } else {
        contribute(&view, board);
        resolve(&view, board, O::RECORDS)
    };
    if let Some(need) = gate(&view, board, &mut decision, answers) {
        if let Some(untouched) = untouched {
            *session = untouched;
        }
        return Some(need);
    }
    let commit = Commit { machine, settings, input, intent, roles: view.meaning().roles };
    commit.apply(session, board, &mut decision);
    observer.end(&Played { machine, settings, session, intent, board, decision: &decision, answers, taken });
    None
}

/// A turn that nobody could read: the dialogue holds, and the session stays as it is.
fn hold<O: Observer>(
    machine: &Machine,
    settings: &Settings,
    session: &mut Session,
    input: &Input,
    answers: &[Answer],
    board: &mut Board,
    observer: &mut O,
) {
    observer.begin(machine, session);
    board.clear();
    let intent = intent_of(machine, session, input);
    let decision = give_up(machine, session.position.state, Reason::NotUnderstood);
    let decision = &decision;
    observer.end(&Played { machine, settings, session, intent, board, decision, answers, taken: None });
}
