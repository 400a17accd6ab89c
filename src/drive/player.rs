//! The one loop that plays the turns of a dialogue.

use crate::engine::{Answer, Board, Observer, ScriptedTurn, Session, TurnRecord, advance};
use crate::machine::{Machine, Settings};

/// A dialogue being played.
#[derive(Debug)]
pub struct Player<'m> {
    machine: &'m Machine,
    settings: Settings,
    session: Session,
    board: Board,
    record: TurnRecord,
}

impl<'m> Player<'m> {
    /// A dialogue that starts with these settings and this session.
    #[must_use]
    pub fn new(machine: &'m Machine, settings: Settings, session: Session) -> Self {
        Self { machine, settings, session, board: Board::default(), record: TurnRecord::default() }
    }

    /// Plays a turn and records it.
    pub fn play(&mut self, scripted: &ScriptedTurn) -> &TurnRecord {
        let mut record = std::mem::take(&mut self.record);
        self.play_watched(scripted, &mut record);
        self.record = record;
        &self.record
    }

    /// Plays a turn while `observer` watches. Answers come from the script.
    pub fn play_watched<O: Observer>(&mut self, scripted: &ScriptedTurn, observer: &mut O) {
        for operation in &scripted.before {
            self.session.operate(operation, self.machine, &self.settings);
        }
        let mut answers = Vec::new();
        while let Some(need) = advance(
            self.machine,
            &self.settings,
            &mut self.session,
            &scripted.input,
            &answers,
            &mut self.board,
            observer,
        ) {
            answers.push(Answer { kind: need.kind(), value: scripted.answer.clone() });
        }
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// The settings of the dialogue.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The session as it is now.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The record of the last turn.
    #[must_use]
    pub fn record(&self) -> &TurnRecord {
        &self.record
    }

    /// Begins the dialogue again where the machine begins, in the memory of the session as it is.
    pub fn rewind(&mut self) {
        self.session.reset(self.machine);
        self.record = TurnRecord::default();
    }

    /// Begins the dialogue again from this session.
    pub fn restart(&mut self, session: Session) {
        self.session = session;
        self.record = TurnRecord::default();
    }
}
