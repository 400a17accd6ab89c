//! The one loop that plays the turns of a dialogue.

use crate::engine::{Answer, Board, Need, Observer, ScriptedTurn, Session, TurnRecord, advance};
use crate::llm::{Answerer, Failure, FailureKind, Nobody, Request, Task};
use crate::machine::{Machine, Settings};

/// A dialogue being played.
pub struct Player<'m> {
    machine: &'m Machine,
    settings: Settings,
    session: Session,
    board: Board,
    record: TurnRecord,
    answerer: Box<dyn Answerer>,
    /// Turns that were played.
    turns: u32,
    /// Somebody outside was asked.
    asked: bool,
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
            turns: 0,
            asked: false,
            unread: None,
        }
    }

    /// A dialogue of which so many turns were played before.
    #[must_use]
    pub fn after(mut self, turns: u32) -> Self {
        self.turns = turns;
        self
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
        self.turns = self.turns.saturating_add(1);
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
            answers.push(self.answer(&need, scripted));
        }
    }

    /// The answer to a need: what the script says comes first.
    fn answer(&mut self, need: &Need, scripted: &ScriptedTurn) -> Answer {
        let kind = need.kind();
        if let Some(answer) = &scripted.answer {
            return Answer { kind, value: Some(answer.clone()), by: None, failed: Vec::new() };
        }
        let task = Task::of(need, self.machine, scripted.input.say.as_deref());
        let request = Request { task, turn: self.turns };
        let mut attempts = Vec::new();
        self.asked = true;
        let reply = self.answerer.answer(&request, &mut attempts);
        if reply.is_none() {
            let last = attempts.last().map(|attempt| attempt.failure.clone());
            let failure = last.unwrap_or_else(|| FailureKind::Nobody.failure());
            // A state that decides for itself has a way to go on; a turn that nobody reads has none. What was never
            // recorded says nothing about either.
            if matches!(need, Need::Classify { .. }) || failure.kind == FailureKind::NotRecorded {
                self.unread = Some(failure);
            }
        }
        let (by, value) = reply.map(|reply| (reply.by, reply.value)).unzip();
        let failed = attempts.into_iter().map(|attempt| (attempt.by, attempt.failure.reason.into()));
        Answer { kind, value, by, failed: failed.collect() }
    }

    /// Gives back whom the dialogue asked.
    #[must_use]
    pub fn into_answerer(self) -> Box<dyn Answerer> {
        self.answerer
    }

    /// Whether somebody outside was asked.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.asked
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

    /// Begins the dialogue again where the machine begins, in the memory of the session as it is.
    pub fn rewind(&mut self) {
        self.session.reset(self.machine);
        self.turns = 0;
        self.record = TurnRecord::default();
    }

    /// Begins the dialogue again from this session.
    pub fn restart(&mut self, session: Session) {
        self.session = session;
        self.turns = 0;
        self.record = TurnRecord::default();
    }
}
