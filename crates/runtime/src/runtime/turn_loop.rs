//! The loop that runs the turns of a dialogue.

use super::dialogue_runner::DialogueRunner;
use super::environment::Environment;
use super::journal::Journal;
use super::knowledge::knowledge_for;
use fsmsim_adapters::llm::{
    AnswerFailure, AnswererReply, FailureKind, Request, Scene, Speaker, Task,
};
use fsmsim_core::engine::{Answer, Need, Observer, RecordView, ScriptedTurn, advance, answer_text};
use fsmsim_core::machine::NeedKind;

impl DialogueRunner {
    pub fn play<'t>(&'t mut self, scripted: &'t ScriptedTurn) -> RecordedTurn<'t> {
        self.play_kept(scripted, &mut ())
    }

    /// Like [`Self::play`], but saves each answer to a journal as soon as it arrives.
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

    /// Runs a turn without recording it, for callers that need only the resulting session. This is much faster.
    #[inline]
    pub fn play_unrecorded(&mut self, scripted: &ScriptedTurn) {
        self.play_watched(scripted, &mut (), &mut ());
    }

    /// The view of the last recorded turn, which must be `scripted`.
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

    /// Runs a turn and notifies `observer`. Answers come from the journal, then from the script, then from the
    /// provider.
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
        // Recognizers receive the previous lines of the dialogue.
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
                .or_else(|| answer_text(&answers, "reply"));
            self.environment.hear(Speaker::Assistant, reply);
            // The user of a transcript answers the line of its agent, not the messages of the machine.
            let is_written = scripted.input.reply.is_some() && !self.accepted.moves;
            for reply in self.scratch.said().iter().filter(|_| !is_written) {
                self.environment.hear(Speaker::Assistant, Some(reply));
            }
            if !is_heard {
                self.environment
                    .hear_action(heard, &self.session, &self.machine);
            }
        }
    }

    /// The answer to a need. The script has priority. Otherwise the environment performs effects, and the provider
    /// answers judgments.
    fn answer(&mut self, need: &Need, answers: &[Answer], scripted: &ScriptedTurn) -> Answer {
        let key = need.key();
        if let Some((_, value)) = scripted
            .answers
            .iter()
            .find(|(scripted, _)| *scripted == key)
        {
            return Answer::given(key, value.clone());
        }
        if let Some(outcome) = self.environment.perform(need, &self.machine) {
            return outcome;
        }
        // If the scripted answer already answered an earlier request, it is not reused as the text of the message.
        let is_phrased = key.kind == NeedKind::Phrase && !answers.is_empty();
        match scripted.answer.as_ref().filter(|_| !is_phrased) {
            Some(value) => Answer::given(key, Some(value.clone())),
            None => self.judge(need, scripted),
        }
    }

    /// Requests the answer to a need from the provider.
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
            at: scripted.input.at.as_deref(),
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
            let failure = last.unwrap_or_else(|| FailureKind::NoProvider.failure());
            // Without an answer, a state that requests a decision continues, but a turn that was not recognized does
            // not. If the answer is missing in a recording, neither continues. The machine recognizes its phrases
            // without a provider, so an utterance that matches no phrase is not an external failure.
            let reads_phrases = failure.kind == FailureKind::NoProvider && self.accepted.phrases;
            let can_continue = match need {
                // Without a judge, answers are checked against criteria.
                Need::Decide { .. } | Need::Assess { .. } => true,
                Need::Phrase { is_optional, .. } => *is_optional,
                _ => reads_phrases,
            };
            if !can_continue || failure.kind == FailureKind::NotRecorded {
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

    /// Asks a judge whether the replies of the last turn satisfy a rubric.
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
        // The utterances of the turn itself are judged, so they are not part of the history.
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
        reply.ok_or_else(|| last.unwrap_or_else(|| FailureKind::NoProvider.failure()))
    }
}

/// A turn that was run and recorded.
#[derive(Clone, Copy)]
pub struct RecordedTurn<'t> {
    /// The view of the turn.
    pub view: RecordView<'t>,
    /// A provider was called in the turn.
    pub asked: bool,
    /// The reason why the turn was not recognized, if it was not. The dialogue has then not advanced.
    pub unread: Option<&'t AnswerFailure>,
    /// A model gave a nondeterministic answer in this turn or an earlier one.
    pub heard_a_model: bool,
}
