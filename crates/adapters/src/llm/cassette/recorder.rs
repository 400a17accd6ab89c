//! Records requests and their outcomes.

use std::sync::Arc;

use super::interaction::Interaction;
use super::recording::{PlayId, Recording, RecordingEnd, RecordingSource};
use super::redactions::Redactions;
use crate::llm::answer_failure::FailureKind;
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use crate::llm::dialogue_key::DialogueKey;
use crate::llm::prompt::Prompt;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Calls another provider and records the outcome. If the run is interrupted or an answer is missing, the old cassette
/// stays unchanged. A dialogue without requests creates no file.
pub struct Recorder {
    pub(super) inner: Box<dyn Answerer>,
    pub(super) recording: Arc<Recording>,
    play: PlayId,
    /// The name of the dialogue in a simulation.
    dialogue: Option<Box<str>>,
    redactions: Arc<Redactions>,
    /// No other recorder uses this recording, so this one ends it.
    pub(super) is_alone: bool,
    pub(super) is_broken_off: bool,
}

impl Recorder {
    /// Records all requests, and ends the recording.
    pub(in crate::llm) fn new(
        inner: Box<dyn Answerer>,
        recording: Arc<Recording>,
        redactions: Arc<Redactions>,
    ) -> Self {
        Self {
            inner,
            recording,
            play: PlayId::default(),
            dialogue: None,
            redactions,
            is_alone: true,
            is_broken_off: false,
        }
    }

    /// Records one trial, while other recorders record the other trials.
    pub(in crate::llm) fn of_play(self, play: PlayId, dialogue: Option<Box<str>>) -> Self {
        Self {
            play,
            dialogue,
            is_alone: false,
            ..self
        }
    }

    /// The prompt for the recording. If a template of the project fails, no provider is called, and the recording has a
    /// gap.
    pub(super) fn prompt(
        &self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<Prompt> {
        let prompt = self.redactions.request(&request.task).map_err(|failure| {
            self.recording.miss(self.play);
            failed.push(Attempt::new(
                "prompt",
                FailureKind::NoProvider,
                failure.sentence(),
            ));
        });
        prompt.ok()
    }

    /// Uses an existing recording.
    pub(super) fn reuse(&self, piece: RecordingSource) {
        self.recording.reuse(self.play, piece);
    }

    /// Sends a request and records it. A request that cannot be recorded is not sent.
    pub(super) fn ask(
        &mut self,
        request: &Request<'_>,
        prompt: Prompt,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        if let Err(why) = self.recording.start() {
            failed.push(Attempt::new("cassette", FailureKind::NotRecorded, why));
            return None;
        }
        let before = failed.len();
        let reply = self.inner.answer(request, failed);
        let attempts = failed.get(before..).unwrap_or_default();
        let mut interaction = Interaction::new(request, prompt, attempts, reply.as_ref());
        interaction.dialogue.clone_from(&self.dialogue);
        self.recording.keep(self.play, &interaction);
        reply
    }
}

impl Answerer for Recorder {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let prompt = self.prompt(request, failed)?;
        self.ask(request, prompt, failed)
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.inner.rewind(key);
    }

    fn break_off(&mut self) {
        self.is_broken_off = true;
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        self.inner.finish(found);
        if self.is_alone {
            let has_gap = self.is_broken_off || self.recording.has_gap(&|_| true);
            let end = if has_gap {
                RecordingEnd::Gap
            } else {
                RecordingEnd::Whole
            };
            self.recording.finish(&|_| true, end, found);
        }
    }
}
