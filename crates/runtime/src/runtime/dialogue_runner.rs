//! A dialogue being played.

use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use super::environment::Environment;
use super::knowledge::knowledge_for;
use crate::script::AcceptedInputs;
use fsmsim_adapters::llm::{AnswerFailure, Answerer, Request, Scene, Speaker, Task, Utterance};
use fsmsim_adapters::world::{Memory, SessionId, Twin};
use fsmsim_core::engine::{Machine, Need, Operation, Scratch, Session, Settings, TurnRecord};
use fsmsim_core::machine::Value;

/// The record of a dialogue of which no turn was recorded.
static UNPLAYED: LazyLock<TurnRecord> = LazyLock::new(TurnRecord::default);

/// A dialogue being played.
pub struct DialogueRunner {
    pub(super) machine: Arc<Machine>,
    pub(super) accepted: AcceptedInputs,
    pub(super) settings: Settings,
    pub(super) session: Session,
    pub(super) scratch: Scratch,
    /// The record of the turn that was recorded last, where one was.
    pub(super) record: Option<Box<TurnRecord>>,
    pub(super) environment: Environment,
    /// Why nobody read the last turn, where that is so.
    pub(super) unread: Option<AnswerFailure>,
    /// Somebody was asked in the last turn.
    pub(super) asked: bool,
    /// A model gave an answer in this dialogue that may be another one next time.
    pub(super) heard: bool,
}

impl DialogueRunner {
    /// A dialogue that starts with these settings and this session.
    pub fn new(machine: &Arc<Machine>, settings: Settings, session: Session) -> Self {
        Self {
            machine: Arc::clone(machine),
            accepted: AcceptedInputs::of(machine),
            settings,
            session,
            scratch: Scratch::default(),
            record: None,
            environment: Environment::default(),
            unread: None,
            asked: false,
            heard: false,
        }
    }

    /// Whom to ask what the script does not say.
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.ask_from_now(answerer);
        self
    }

    /// Where the user's data is kept.
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.environment.twin = twin;
        self
    }

    /// Who remembers for it.
    pub fn remembering(mut self, memory: Box<dyn Memory>) -> Self {
        self.remember_from_now(memory);
        self
    }

    /// Who remembers for it from now on.
    pub fn remember_from_now(&mut self, memory: Box<dyn Memory>) {
        self.environment.memory = memory;
    }

    /// By what those who perform its effects know it. It must be an id that no other dialogue has wherever something stays
    /// that this one does.
    pub fn known_as(mut self, id: SessionId) -> Self {
        self.be_known_as(id);
        self
    }

    /// By what they know it from now on.
    pub fn be_known_as(&mut self, id: SessionId) {
        self.environment.session = id;
    }

    /// Watches what the conditions of its turns come to.
    pub fn watched(mut self) -> Self {
        self.scratch.start_watching();
        self
    }

    /// What somebody would be asked for a need where this is said; nobody is.
    pub fn with_task<R>(
        &self,
        need: &Need,
        say: Option<&str>,
        ask: impl FnOnce(Option<Task<'_>>) -> R,
    ) -> R {
        let instruction = self.session.instruction(&self.machine).unwrap_or_default();
        let knowledge = match need {
            Need::Phrase { state, .. } => knowledge_for(&self.machine, *state, say),
            _ => Vec::new(),
        };
        let scene = Scene {
            machine: &self.machine,
            session: &self.session,
            say,
            instruction: &instruction,
            history: &self.environment.history,
            knowledge: &knowledge,
        };
        ask(Task::of(need, &scene))
    }

    /// Hears what the user says, beside the turns.
    pub fn hear(&mut self, say: Option<&str>) {
        self.environment.hear(Speaker::User, say);
    }

    /// Asks for something beside the turns; nothing where nobody answers.
    pub fn ask(&mut self, task: Task<'_>) -> Option<Value> {
        let request = Request {
            task,
            turn: self.environment.turns.saturating_add(1),
        };
        let reply = self
            .environment
            .answerer
            .answer(&request, &mut Vec::new())?;
        self.heard |= reply.fresh;
        Some(reply.value)
    }

    /// Whom to ask from now on what the script does not say.
    pub fn ask_from_now(&mut self, answerer: Box<dyn Answerer>) {
        self.environment.answerer = answerer;
    }

    /// Gives back whom the dialogue asked so far, and asks somebody else.
    pub fn replace_answerer(&mut self, answerer: Box<dyn Answerer>) -> Box<dyn Answerer> {
        std::mem::replace(&mut self.environment.answerer, answerer)
    }

    /// Whether there is somebody to ask what the script does not say.
    pub fn is_read(&self) -> bool {
        self.environment.answerer.is_there()
    }

    /// The dialogue is as it was behind so many turns, in which this was said, and this was remembered.
    pub(super) fn put_back(
        &mut self,
        id: SessionId,
        session: Session,
        turns: u32,
        history: Vec<Utterance>,
        memory: &Json,
    ) {
        self.session = session;
        self.begin();
        self.heard = memory.get(HEARD).and_then(Json::as_bool).unwrap_or(false);
        self.environment.session = id;
        self.environment.turns = turns;
        self.record.get_or_insert_default().turn = turns;
        self.environment.history = history;
        self.environment.recall(memory);
    }

    /// What is remembered of the dialogue, beside its session and what was said, that is gone with this process.
    pub fn memory(&self) -> Json {
        let mut memory = self.environment.memory();
        if let Some(map) = memory.as_object_mut() {
            map.insert(HEARD.to_owned(), self.heard.into());
        }
        memory
    }

    /// By what those who perform its effects know it.
    pub fn id(&self) -> &SessionId {
        &self.environment.session
    }

    /// Turns that were played.
    pub fn turns(&self) -> u32 {
        self.environment.turns
    }

    /// What was said so far, as far as it is kept.
    pub fn history(&self) -> &[Utterance] {
        &self.environment.history
    }

    /// Gives back whom the dialogue asked.
    pub fn into_answerer(self) -> Box<dyn Answerer> {
        self.environment.answerer
    }

    /// Why nobody read the last turn, where that is so; the dialogue has held then.
    #[inline]
    pub fn unread(&self) -> Option<&AnswerFailure> {
        self.unread.as_ref()
    }

    #[inline]
    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The session as it is now.
    #[inline]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The record of the turn that was recorded last.
    pub fn record(&self) -> &TurnRecord {
        self.record.as_deref().unwrap_or(&UNPLAYED)
    }

    /// Changes the session from outside, between two turns.
    pub fn operate(&mut self, operations: &[Operation]) {
        self.session
            .operate_all(operations, &self.machine, &self.settings);
    }

    /// Begins the dialogue again where the machine begins, in the memory of the session as it is.
    pub fn rewind(&mut self) {
        self.session.reset(&self.machine);
        self.begin();
    }

    /// Begins the dialogue again from this session.
    pub fn restart(&mut self, session: Session) {
        self.session = session;
        self.begin();
    }

    fn begin(&mut self) {
        self.environment.history.clear();
        self.environment.turns = 0;
        self.environment.session = self.environment.session.next();
        self.heard = false;
        self.record = None;
    }
}

/// What tells, in what is remembered, that a model gave an answer that may be another one next time.
const HEARD: &str = "heard";
