//! The one loop that plays the turns of a dialogue.

use super::dialogue_runner::DialogueRunner;
use super::environment::Environment;
use super::journal::Journal;
use super::knowledge::knowledge_for;
use fsmsim_adapters::llm::{
    AnswerFailure, AnswererReply, FailureKind, Request, Scene, Speaker, Task,
};
use fsmsim_core::engine::{Answer, Need, Observer, RecordView, ScriptedTurn, advance, told};
use fsmsim_core::machine::NeedKind;

impl DialogueRunner {
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

    /// Asks a judge whether what was said in the turn that was played last is as a rubric says.
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
