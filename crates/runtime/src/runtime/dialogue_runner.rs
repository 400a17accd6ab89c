//! A running dialogue.

use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use super::environment::Environment;
use super::knowledge::knowledge_for;
use crate::script::AcceptedInputs;
use fsmsim_adapters::llm::{
    AnswerFailure, Answerer, DefaultRecognizer, Request, Scene, Speaker, Task, Utterance,
};
use fsmsim_adapters::stores::{Memory, SessionId, Twin};
use fsmsim_core::engine::{Machine, Need, Operation, Scratch, Session, Settings, TurnRecord};
use fsmsim_core::machine::Value;

/// The record of a dialogue without recorded turns.
static UNPLAYED: LazyLock<TurnRecord> = LazyLock::new(TurnRecord::default);

/// A running dialogue.
pub struct DialogueRunner {
    pub(super) machine: Arc<Machine>,
    pub(super) accepted: AcceptedInputs,
    pub(super) settings: Settings,
    pub(super) session: Session,
    pub(super) scratch: Scratch,
    /// The last recorded turn, if any.
    pub(super) record: Option<Box<TurnRecord>>,
    pub(super) environment: Environment,
    /// The reason why the last turn was not recognized, if it was not.
    pub(super) unread: Option<AnswerFailure>,
    /// A provider was called in the last turn.
    pub(super) asked: bool,
    /// A model gave a nondeterministic answer in this dialogue.
    pub(super) heard: bool,
}

impl DialogueRunner {
    /// Creates a dialogue with these settings and this session.
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

    /// Sets the provider of answers that the script does not contain.
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.ask_from_now(answerer);
        self
    }

    /// Recognizes utterances by the examples of the model, because no provider is configured.
    pub fn by_examples(self) -> Self {
        self.asking(Box::new(DefaultRecognizer))
    }

    /// Sets the digital twin: the store of the user's data.
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.environment.twin = twin;
        self
    }

    /// Sets the memory.
    pub fn remembering(mut self, memory: Box<dyn Memory>) -> Self {
        self.remember_from_now(memory);
        self
    }

    /// Replaces the memory.
    pub fn remember_from_now(&mut self, memory: Box<dyn Memory>) {
        self.environment.memory = memory;
    }

    /// Sets the ID that performers of effects see. It must be unique wherever effects of this dialogue are stored.
    pub fn known_as(mut self, id: SessionId) -> Self {
        self.be_known_as(id);
        self
    }

    /// Replaces the ID that performers of effects see.
    pub fn be_known_as(&mut self, id: SessionId) {
        self.environment.session = id;
    }

    /// Records the results of conditions in each turn.
    pub fn watched(mut self) -> Self {
        self.scratch.start_watching();
        self
    }

    /// Calls `ask` with the task that a provider would receive for `need` and this utterance. Calls no provider.
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
            at: None,
            instruction: &instruction,
            history: &self.environment.history,
            knowledge: &knowledge,
        };
        ask(Task::of(need, &scene))
    }

    /// Adds an utterance of the user outside of a turn.
    pub fn hear(&mut self, say: Option<&str>) {
        self.environment.hear(Speaker::User, say);
    }

    /// Requests an answer outside of a turn. Returns `None` if no provider answers.
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

    /// Replaces the provider of answers that the script does not contain.
    pub fn ask_from_now(&mut self, answerer: Box<dyn Answerer>) {
        self.environment.answerer = answerer;
    }

    /// Replaces the provider and returns the previous one.
    pub fn replace_answerer(&mut self, answerer: Box<dyn Answerer>) -> Box<dyn Answerer> {
        std::mem::replace(&mut self.environment.answerer, answerer)
    }

    /// Whether a provider is set for answers that the script does not contain.
    pub fn is_read(&self) -> bool {
        self.environment.answerer.is_there()
    }

    /// Restores the dialogue after `turns` turns, with this history and memory.
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

    /// The state of the dialogue that would be lost with this process, except its session and its history.
    pub fn memory(&self) -> Json {
        let mut memory = self.environment.memory();
        if let Some(map) = memory.as_object_mut() {
            map.insert(HEARD.to_owned(), self.heard.into());
        }
        memory
    }

    /// The ID that performers of effects see.
    pub fn id(&self) -> &SessionId {
        &self.environment.session
    }

    /// The number of turns run so far.
    pub fn turns(&self) -> u32 {
        self.environment.turns
    }

    /// The utterances so far. Early ones may be missing.
    pub fn history(&self) -> &[Utterance] {
        &self.environment.history
    }

    /// Returns the provider of answers.
    pub fn into_answerer(self) -> Box<dyn Answerer> {
        self.environment.answerer
    }

    /// The reason why the last turn was not recognized, if it was not. The dialogue has then not advanced.
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

    #[inline]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The last recorded turn.
    pub fn record(&self) -> &TurnRecord {
        self.record.as_deref().unwrap_or(&UNPLAYED)
    }

    /// Changes the session between two turns.
    pub fn operate(&mut self, operations: &[Operation]) {
        self.session
            .operate_all(operations, &self.machine, &self.settings);
    }

    /// Restarts the dialogue in the initial state of the machine. The session keeps its memory.
    pub fn rewind(&mut self) {
        self.session.reset(&self.machine);
        self.begin();
    }

    /// Restarts the dialogue with this session.
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

/// The key in [`DialogueRunner::memory`] for whether a model gave a nondeterministic answer.
const HEARD: &str = "heard";
