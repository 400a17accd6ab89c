//! The one loop that plays the turns of a dialogue.

use super::environment::Environment;
use crate::engine::{
    Answer, Blackboard, Need, Observer, ScriptedTurn, Session, TurnRecord, advance, instruction, told,
};
use crate::llm::{AnswerFailure, Answerer, FailureKind, Request, Scene, Speaker, Task};
use crate::machine::{Machine, Settings, Value};
use crate::world::WriteOutcome;

/// A dialogue being played.
pub struct DialogueRunner<'m> {
    machine: &'m Machine,
    settings: Settings,
    session: Session,
    board: Blackboard,
    record: TurnRecord,
    company: Environment,
    /// Why nobody read the last turn, where that is so.
    unread: Option<AnswerFailure>,
    /// Somebody was asked in the last turn.
    asked: bool,
    /// A model gave an answer in this dialogue that may be another one next time.
    heard: bool,
}

impl<'m> DialogueRunner<'m> {
    /// A dialogue that starts with these settings and this session.
    #[must_use]
    pub fn new(machine: &'m Machine, settings: Settings, session: Session) -> Self {
        Self {
            machine,
            settings,
            session,
            board: Blackboard::default(),
            record: TurnRecord::default(),
            company: Environment::default(),
            unread: None,
            asked: false,
            heard: false,
        }
    }

    /// The dialogue in this company.
    #[must_use]
    pub fn with(mut self, company: Environment) -> Self {
        self.company = company;
        self
    }

    /// Whom to ask what the script does not say.
    #[must_use]
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.company.answerer = answerer;
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
        self.asked = false;
        self.company.turns = self.company.turns.saturating_add(1);
        let guided = self.machine.instructions.is_some();
        if guided {
            self.company.hear(Speaker::User, scripted.input.say.as_deref());
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
            answers.push(self.answer(&need, scripted));
        }
        if guided {
            let reply = scripted.input.reply.as_deref().or_else(|| told(&answers, "reply"));
            self.company.hear(Speaker::Assistant, reply);
        }
    }

    /// The answer to a need: what the script says comes first. Effects are for the world.
    fn answer(&mut self, need: &Need, scripted: &ScriptedTurn) -> Answer {
        let kind = need.kind();
        if let Some((_, value)) = scripted.answers.iter().find(|(scripted, _)| *scripted == kind) {
            return Answer { kind, value: value.clone(), by: None, failed: Vec::new() };
        }
        let given = |value| Answer { kind, value: Some(value), by: None, failed: Vec::new() };
        match need {
            Need::Read { keys, .. } => {
                let keys: Vec<&str> = keys.iter().map(|slot| self.machine.names.slots.name(*slot)).collect();
                return given(self.company.twin.read(&keys).answer());
            }
            Need::Write { schema, payload, .. } => {
                let schema = self.machine.schema(*schema);
                let written = schema.map(|schema| self.company.twin.write(schema, payload));
                return given(written.unwrap_or(WriteOutcome::Down).answer());
            }
            Need::Execute { route, data, .. } => {
                let value = self.company.backend.execute(route, data, self.company.turns);
                return Answer { kind, value, by: None, failed: Vec::new() };
            }
            Need::Classify { .. } | Need::Decide { .. } | Need::Navigate { .. } => {}
        }
        if let Some(answer) = &scripted.answer {
            return given(answer.clone());
        }
        let instruction = instruction(self.machine, &self.session).unwrap_or_default();
        let scene = Scene {
            machine: self.machine,
            say: scripted.input.say.as_deref(),
            instruction: &instruction,
            history: &self.company.history,
        };
        let mut attempts = Vec::new();
        let reply = Task::of(need, &scene).and_then(|task| {
            self.company.answerer.answer(&Request { task, turn: self.company.turns }, &mut attempts)
        });
        self.asked = true;
        self.heard |= reply.as_ref().is_some_and(|reply| reply.fresh);
        if reply.is_none() {
            let last = attempts.last().map(|attempt| attempt.failure.clone());
            let failure = last.unwrap_or_else(|| FailureKind::Nobody.failure());
            // A state that decides for itself has a way to go on; a turn that nobody reads has none. What was never
            // recorded says nothing about either.
            // Phrases of a contract are read without anybody; that one is not among them is no lack of the outside.
            let reads_phrases = failure.kind == FailureKind::Nobody
                && self.machine.contract.as_ref().is_some_and(|contract| !contract.readings.is_empty());
            let goes_on = matches!(need, Need::Decide { .. }) || reads_phrases;
            if !goes_on || failure.kind == FailureKind::NotRecorded {
                self.unread = Some(failure);
            }
        }
        let (by, value) = reply.map(|reply| (reply.by, reply.value)).unzip();
        let failed = attempts.into_iter().map(|attempt| (attempt.by, attempt.failure.reason.into()));
        Answer { kind, value, by, failed: failed.collect() }
    }

    /// Asks for something beside the turns; nothing where nobody answers.
    pub fn ask(&mut self, task: Task<'_>) -> Option<Value> {
        let request = Request { task, turn: self.company.turns.saturating_add(1) };
        let reply = self.company.answerer.answer(&request, &mut Vec::new())?;
        self.heard |= reply.fresh;
        Some(reply.value)
    }

    /// Whom to ask from now on what the script does not say.
    pub fn ask_from_now(&mut self, answerer: Box<dyn Answerer>) {
        self.company.answerer = answerer;
    }

    /// Gives back who was around the dialogue.
    #[must_use]
    pub fn into_company(self) -> Environment {
        self.company
    }

    /// Why nobody read the last turn, where that is so; the dialogue has held then.
    #[must_use]
    pub fn unread(&self) -> Option<&AnswerFailure> {
        self.unread.as_ref()
    }

    /// Whether somebody was asked in the last turn.
    #[must_use]
    pub fn has_asked(&self) -> bool {
        self.asked
    }

    /// Whether, in this dialogue, a model gave an answer that may be another one next time.
    #[must_use]
    pub fn heard_a_model(&self) -> bool {
        self.heard
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
        self.company.begin();
        self.heard = false;
        self.record = TurnRecord::default();
    }

    /// Begins the dialogue again from this session.
    pub fn restart(&mut self, session: Session) {
        self.session = session;
        self.company.begin();
        self.heard = false;
        self.record = TurnRecord::default();
    }
}
