//! One turn, as a pure step: read, contribute, resolve, commit, and whoever watches records.

use super::board::Board;
use super::commit::Commit;
use super::contribute::contribute;
use super::input::Input;
use super::need::{Answer, Need};
use super::read::{need, read};
use super::reason::Reason;
use super::record::{Observer, Played, TurnRecord};
use super::resolve::{give_up, resolve};
use super::session::Session;
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
pub fn turn(machine: &Machine, settings: &Settings, session: &Session, input: &Input, answers: &[Answer]) -> Step {
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
    if let Some(need) = need(machine, settings, session, answers) {
        return Some(need);
    }
    observer.begin(machine, session);
    board.clear();
    let reading = read(machine, settings, session, input);
    let (intent, unusable) = (reading.intent, reading.null_data);
    let view = reading.view(machine, settings, session, input, answers);
    let mut decision = if unusable {
        give_up(&view, Reason::ProcessingError)
    } else {
        contribute(&view, board);
        resolve(&view, board)
    };
    let commit = Commit {
        machine,
        settings,
        input,
        intent,
    };
    commit.apply(session, board, &mut decision);
    observer.end(&Played {
        machine,
        settings,
        session,
        intent,
        board,
        decision: &decision,
        answers,
    });
    None
}
