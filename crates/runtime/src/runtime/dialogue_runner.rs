//! The one loop that plays the turns of a dialogue.

use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use super::environment::Environment;
use super::journal::Journal;
use super::knowledge::knowledge_for;
use super::resumed_dialogue::ResumedDialogue;
use crate::script::AcceptedInputs;
use fsmsim_adapters::llm::{
    AnswerFailure, Answerer, AnswererReply, FailureKind, Request, Scene, Speaker, Task, Utterance,
};
use fsmsim_adapters::world::{Memory, SessionId, Twin};
use fsmsim_core::engine::{
    Answer, Machine, Need, Observer, Operation, RecordView, Scratch, ScriptedTurn, Session,
    Settings, TurnRecord, advance, told,
};
use fsmsim_core::machine::{NeedKind, Value};

/// The record of a dialogue of which no turn was recorded.
static UNPLAYED: LazyLock<TurnRecord> = LazyLock::new(TurnRecord::default);

/// A dialogue being played.
pub struct DialogueRunner {
    machine: Arc<Machine>,
    accepted: AcceptedInputs,
    settings: Settings,
    session: Session,
    scratch: Scratch,
    /// The record of the turn that was recorded last, where one was.
    record: Option<Box<TurnRecord>>,
    pub(super) environment: Environment,
    /// Why nobody read the last turn, where that is so.
    unread: Option<AnswerFailure>,
    /// Somebody was asked in the last turn.
    asked: bool,
    /// A model gave an answer in this dialogue that may be another one next time.
    heard: bool,
}

/// A turn that was played and recorded.
#[derive(Clone, Copy)]
pub struct RecordedTurn<'t> {
    /// What happened in it.
    pub view: RecordView<'t>,
    /// Somebody was asked in it.
    pub asked: bool,
    /// Why nobody read it, where that is so; the dialogue has held then.
    pub unread: Option<&'t AnswerFailure>,
    /// In it or before it, a model gave an answer that may be another one next time.
    pub heard_a_model: bool,
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

    /// Plays a turn and records it.
    pub fn play<'t>(&'t mut self, scripted: &'t ScriptedTurn) -> RecordedTurn<'t> {
        self.play_kept(scripted, &mut ())
    }

    /// The same, with its answers kept in a journal as soon as they are there.
    pub fn play_kept<'t>(
        &'t mut self,
        scripted: &'t ScriptedTurn,
        journal: &mut (impl Journal + ?Sized),
    ) -> RecordedTurn<'t> {
        let mut record = self.record.take().unwrap_or_default();
        self.play_watched(scripted, &mut *record, journal);
        self.record = Some(record);
        RecordedTurn {
            view: self.view(scripted),
            asked: self.asked,
            unread: self.unread(),
            heard_a_model: self.heard,
        }
    }

    /// Plays a turn of which only the session is wanted that it leaves behind; nothing is recorded, and it takes a fraction
    /// of the time.
    #[inline]
    pub fn play_unrecorded(&mut self, scripted: &ScriptedTurn) {
        self.play_watched(scripted, &mut (), &mut ());
    }

    /// What happened in the turn that was recorded last, which was this one.
    pub fn view<'t>(&'t self, scripted: &'t ScriptedTurn) -> RecordView<'t> {
        RecordView {
            machine: &self.machine,
            settings: &self.settings,
            session: &self.session,
            scripted,
            record: self.record(),
            watch: self.scratch.watch(),
        }
    }

    /// Plays a turn while `observer` watches. Answers come from the journal, where it has some, then from the script, else
    /// from whoever is asked.
    fn play_watched<O: Observer>(
        &mut self,
        scripted: &ScriptedTurn,
        observer: &mut O,
        journal: &mut (impl Journal + ?Sized),
    ) {
        observer.moved(
            self.session
                .operate_all(&scripted.before, &self.machine, &self.settings),
        );
        self.unread = None;
        self.asked = false;
        self.environment.turns = self.environment.turns.saturating_add(1);
        let is_heard = self.accepted.moves || self.machine.speaks;
        // Whoever reads what is said is told the lines before it.
        let is_kept = is_heard || self.environment.answerer.is_there();
        if is_kept {
            self.environment
                .hear(Speaker::User, scripted.input.say.as_deref());
        }
        let mut answers = journal.recall(&self.machine);
        while let Some(need) = advance(
            &self.machine,
            &self.settings,
            &mut self.session,
            &scripted.input,
            &answers,
            &mut self.scratch,
            observer,
        ) {
            let answer = self.answer(&need, &answers, scripted);
            journal.keep(&answer, self);
            answers.push(answer);
        }
        if is_kept {
            let heard = self.environment.history.len();
            let reply = scripted
                .input
                .reply
                .as_deref()
                .or_else(|| told(&answers, "reply"));
            self.environment.hear(Speaker::Assistant, reply);
            for reply in self.scratch.said() {
                self.environment.hear(Speaker::Assistant, Some(reply));
            }
            if !is_heard {
                self.environment
                    .hear_action(heard, &self.session, &self.machine);
            }
        }
    }

    /// The answer to a need: what the script says comes first. Effects are for the world, judgements for whoever is asked.
    fn answer(&mut self, need: &Need, answers: &[Answer], scripted: &ScriptedTurn) -> Answer {
        let key = need.key();
        let scripted_answer = |value| Answer {
            key,
            value,
            by: None,
            failed: Vec::new(),
        };
        if let Some((_, value)) = scripted
            .answers
            .iter()
            .find(|(scripted, _)| *scripted == key)
        {
            return scripted_answer(value.clone());
        }
        if let Some(outcome) = self.environment.perform(need, &self.machine) {
            return outcome;
        }
        // What a turn answers once is not said again as a message.
        let is_phrased = key.kind == NeedKind::Phrase && !answers.is_empty();
        match scripted.answer.as_ref().filter(|_| !is_phrased) {
            Some(value) => scripted_answer(Some(value.clone())),
            None => self.judge(need, scripted),
        }
    }

    /// What whoever is asked makes of a need.
    fn judge(&mut self, need: &Need, scripted: &ScriptedTurn) -> Answer {
        let instruction = self.session.instruction(&self.machine).unwrap_or_default();
        let knowledge = match need {
            Need::Phrase { state, .. } if self.environment.answerer.is_there() => {
                knowledge_for(&self.machine, *state, scripted.input.say.as_deref())
            }
            _ => Vec::new(),
        };
        let scene = Scene {
            machine: &self.machine,
            session: &self.session,
            say: scripted.input.say.as_deref(),
            instruction: &instruction,
            history: &self.environment.history,
            knowledge: &knowledge,
        };
        let mut attempts = Vec::new();
        let reply = Task::of(need, &scene).and_then(|task| {
            self.environment.answerer.answer(
                &Request {
                    task,
                    turn: self.environment.turns,
                },
                &mut attempts,
            )
        });
        self.asked = true;
        self.heard |= reply.as_ref().is_some_and(|reply| reply.fresh);
        if reply.is_none() {
            let last = attempts.last().map(|attempt| attempt.failure.clone());
            let failure = last.unwrap_or_else(|| FailureKind::Nobody.failure());
            // A state that decides for itself has a way to go on; a turn that nobody reads has none. What was never
            // recorded says nothing about either.
            // Phrases of the machine are read without anybody; that none is in what was said is no lack of the outside.
            let reads_phrases = failure.kind == FailureKind::Nobody && self.accepted.phrases;
            let goes_on = match need {
                // Answers are held against criteria where nobody judges them.
                Need::Decide { .. } | Need::Assess { .. } => true,
                Need::Phrase { is_optional, .. } => *is_optional,
                _ => reads_phrases,
            };
            if !goes_on || failure.kind == FailureKind::NotRecorded {
                self.unread = Some(failure);
            }
        }
        let (by, value) = reply.map(|reply| (reply.by, reply.value)).unzip();
        let failed = attempts
            .into_iter()
            .map(|attempt| (attempt.by, attempt.failure.reason.into()));
        Answer {
            key: need.key(),
            value,
            by,
            failed: failed.collect(),
        }
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

    /// Asks a judge whether what was said in the turn that was played last is as a rubric says.
    ///
    /// # Errors
    /// Why nobody judged it.
    pub fn ask_judge(
        &mut self,
        rubric: &str,
        replies: &str,
        said: usize,
    ) -> Result<AnswererReply, AnswerFailure> {
        let Environment {
            answerer,
            history,
            turns,
            ..
        } = &mut self.environment;
        let state = self.machine.names.states.name(self.session.position.state);
        // What was heard of the turn itself is what is judged.
        let history = history
            .get(..history.len().saturating_sub(said))
            .unwrap_or_default();
        let task = Task::Judge {
            state,
            rubric,
            history,
            replies,
        };
        let mut attempts = Vec::new();
        let reply = answerer.answer(&Request { task, turn: *turns }, &mut attempts);
        self.heard |= reply.as_ref().is_some_and(|reply| reply.fresh);
        let last = attempts.pop().map(|attempt| attempt.failure);
        reply.ok_or_else(|| last.unwrap_or_else(|| FailureKind::Nobody.failure()))
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

    /// Goes on where a dialogue was left, with those who are around this one.
    pub fn go_on(&mut self, left: &ResumedDialogue) {
        let ResumedDialogue {
            id,
            session,
            turns,
            history,
            memory,
            ..
        } = left;
        self.put_back(id.clone(), session.clone(), *turns, history.clone(), memory);
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

    /// The machine.
    #[inline]
    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// The settings of the dialogue.
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
