//! The one loop that plays the turns of a dialogue.

use crate::engine::{Answer, Board, Need, Observer, ScriptedTurn, Session, TurnRecord, advance};
use crate::llm::{Answerer, Failure, Nobody, Request};
use crate::machine::{Machine, Settings, Value};

/// A dialogue being played.
pub struct Player<'m> {
    machine: &'m Machine,
    settings: Settings,
    session: Session,
    board: Board,
    record: TurnRecord,
    answerer: Box<dyn Answerer>,
    /// Why nobody read the last turn, where that is so.
    unread: Option<Failure>,
}

impl<'m> Player<'m> {
    /// A dialogue that starts with these settings and this session.
    #[must_use]
    pub fn new(machine: &'m Machine, settings: Settings, session: Session) -> Self {
        Self {
            machine,
            settings,
            session,
            board: Board::default(),
            record: TurnRecord::default(),
            answerer: Box::new(Nobody),
            unread: None,
        }
    }

    /// Whom to ask what the script does not say.
    #[must_use]
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.answerer = answerer;
        self
    }

    /// Plays a turn and records it.
    pub fn play(&mut self, scripted: &ScriptedTurn) -> &TurnRecord {
        let mut record = std::mem::take(&mut self.record);
        self.play_watched(scripted, &mut record);
        self.record = record;
        &self.record
    }

    /// Plays a turn while `observer` watches. Answers come from the script, else from whoever is asked.
    pub fn play_watched<O: Observer>(&mut self, scripted: &ScriptedTurn, observer: &mut O) {
        for operation in &scripted.before {
            self.session.operate(operation, self.machine, &self.settings);
        }
        self.unread = None;
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
            let value = self.answer(&need, scripted);
            answers.push(Answer { kind: need.kind(), value });
        }
    }

    /// The answer to a need: what the script says comes first.
    fn answer(&mut self, need: &Need, scripted: &ScriptedTurn) -> Option<Value> {
        if let Some(answer) = &scripted.answer {
            return Some(answer.clone());
        }
        let request = Request { need, say: scripted.input.say.as_deref(), machine: self.machine };
        match self.answerer.answer(&request) {
            Ok(answer) => Some(answer),
            Err(failure) => {
                // A state that decides for itself has a way to go on; a turn that nobody reads has none.
                if matches!(need, Need::Classify { .. }) {
                    self.unread = Some(failure);
                }
                None
            }
        }
    }

    /// Gives back whom the dialogue asked.
    #[must_use]
    pub fn into_answerer(self) -> Box<dyn Answerer> {
        self.answerer
    }

    /// Why nobody read the last turn, where that is so; the dialogue has held then.
    #[must_use]
    pub fn unread(&self) -> Option<&Failure> {
        self.unread.as_ref()
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

    /// Begins the dialogue again from this session.
    pub fn restart(&mut self, session: Session) {
        self.session = session;
        self.record = TurnRecord::default();
    }
}
