//! Replays a cassette and records missing requests.

use super::cassette::Cassette;
use super::cassette_counts::{CassetteCounts, CompletionLog};
use super::interaction::{Interaction, hash_of};
use super::recorder::Recorder;
use super::recording::{RecordingEnd, RecordingSource};
use crate::llm::answer_failure::FailureKind;
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use crate::llm::dialogue_key::DialogueKey;
use crate::llm::kind::TaskKind;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};

/// Replays a cassette. Sends requests without a recording to another provider, and records them. Unused recordings are
/// dropped, but if only the judge is called, recordings of the dialogue are preserved.
pub struct Completer {
    recorder: Recorder,
    log: CompletionLog,
    state: CompletionState,
    counts: CassetteCounts,
    /// Only judge requests are sent.
    is_judge: bool,
    found: Diagnostics,
}

/// The existing recordings.
enum CompletionState {
    /// No request was made yet.
    Unread,
    /// The recordings. Each remembers whether it was used.
    Loaded(Vec<KnownRecording>),
    /// The cassette is invalid, for this reason. No provider is called.
    Unusable(String),
}

/// A recording that can be used once.
pub(super) struct KnownRecording {
    pub interaction: Interaction,
    pub piece: RecordingSource,
    is_used: bool,
}

impl KnownRecording {
    pub(super) fn new(interaction: Interaction, piece: RecordingSource) -> Self {
        Self {
            interaction,
            piece,
            is_used: false,
        }
    }

    /// Whether the recording belongs to the dialogue, not to the judge.
    fn is_of_dialogue(&self) -> bool {
        self.interaction.need != TaskKind::Judge
    }
}

impl Completer {
    /// Completes the cassette of a recorder. With `is_judge`, another provider answers in the dialogue itself.
    pub(in crate::llm) fn new(recorder: Recorder, log: CompletionLog, is_judge: bool) -> Self {
        Self {
            recorder,
            log,
            state: CompletionState::Unread,
            counts: CassetteCounts::default(),
            is_judge,
            found: Diagnostics::default(),
        }
    }

    /// Uses these existing recordings of one dialogue of a simulation. Other completers handle the other dialogues.
    pub(super) fn knowing(self, known: Vec<KnownRecording>) -> Self {
        Self {
            state: CompletionState::Loaded(known),
            ..self
        }
    }

    fn load(&mut self) -> CompletionState {
        let recording = &self.recorder.recording;
        let path = recording.path();
        let shown = path.display().to_string();
        // Lock the file before reading it, so that concurrent writes are not lost.
        let leftover = match recording.complete(None) {
            Ok(leftover) => leftover,
            Err(why) => return CompletionState::Unusable(why),
        };
        let mut cassette = Cassette::default();
        // Reading reports a path that cannot be accessed.
        if !matches!(path.try_exists(), Ok(false)) {
            match Cassette::load(path, recording.title(), Severity::Warning, &mut self.found) {
                Some(old) => cassette = old,
                None => {
                    return CompletionState::Unusable(format!(
                        "cannot load the cassette `{shown}`"
                    ));
                }
            }
        }
        self.counts.bad = self.found.items().len() as u64;
        let old: Vec<_> = cassette
            .interactions
            .into_iter()
            .map(|interaction| {
                let line = RecordingSource::Line(interaction.line().into());
                KnownRecording::new(interaction, line)
            })
            .collect();
        self.counts.old = old.len() as u64;
        let new = leftover.lines.into_iter();
        let new = new
            .filter_map(|(span, _)| {
                Some(KnownRecording::new(
                    recording.read(span)?,
                    RecordingSource::New(span),
                ))
            })
            .collect();
        CompletionState::Loaded(in_order(old, new, leftover.is_newer))
    }
}

/// The recordings in order of use. Recordings of an interrupted run come first if that run recorded everything again.
pub(super) fn in_order(
    old: Vec<KnownRecording>,
    new: Vec<KnownRecording>,
    is_newer: bool,
) -> Vec<KnownRecording> {
    let (first, second) = if is_newer { (new, old) } else { (old, new) };
    first.into_iter().chain(second).collect()
}

/// Preserves the recordings of a dialogue.
fn preserve<'a>(
    known: impl Iterator<Item = &'a mut KnownRecording>,
    recorder: &Recorder,
    counts: &mut CassetteCounts,
) {
    for known in known.filter(|known| !known.is_used && known.is_of_dialogue()) {
        known.is_used = true;
        counts.taken_along += 1;
        counts.taken_up += u64::from(matches!(known.piece, RecordingSource::New(_)));
        recorder.reuse(known.piece.clone());
    }
}

impl Answerer for Completer {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        if matches!(self.state, CompletionState::Unread) {
            self.state = self.load();
        }
        let known = match &mut self.state {
            CompletionState::Loaded(known) => known,
            CompletionState::Unusable(why) => {
                failed.push(Attempt::new(
                    "cassette",
                    FailureKind::NotRecorded,
                    why.clone(),
                ));
                return None;
            }
            CompletionState::Unread => return None,
        };
        let turn = request.turn;
        let need = request.task.kind();
        let prompt = self.recorder.prompt(request, failed)?;
        let hash = hash_of(&prompt);
        // Requests without an answer are sent again.
        let is_it = |KnownRecording {
                         interaction,
                         is_used,
                         ..
                     }: &KnownRecording| {
            !is_used && interaction.is_answered() && interaction.is_for(turn, need, &hash)
        };
        let at = known.iter().position(is_it);
        if self.is_judge {
            let is_later = |known: &KnownRecording| {
                !known.is_used && known.is_of_dialogue() && known.interaction.turn > turn
            };
            let here = at
                .or_else(|| known.iter().position(is_later))
                .unwrap_or(known.len());
            preserve(
                known.iter_mut().take(here),
                &self.recorder,
                &mut self.counts,
            );
        }
        if let Some(known) = at.and_then(|at| known.get_mut(at)) {
            known.is_used = true;
            self.counts.replayed += 1;
            self.counts.taken_up += u64::from(matches!(known.piece, RecordingSource::New(_)));
            self.recorder.reuse(known.piece.clone());
            return known.interaction.outcome(failed);
        }
        self.counts.asked += 1;
        self.recorder.ask(request, prompt, failed)
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.recorder.rewind(key);
    }

    fn break_off(&mut self) {
        self.recorder.break_off();
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        if let (true, CompletionState::Loaded(known)) = (self.is_judge, &mut self.state) {
            preserve(known.iter_mut(), &self.recorder, &mut self.counts);
        }
        self.recorder.inner.finish(found);
        found.extend(std::mem::take(&mut self.found));
        if self.recorder.is_alone {
            let end = match self.state {
                CompletionState::Unusable(_) => RecordingEnd::Refused,
                _ if self.recorder.is_broken_off || self.recorder.recording.has_gap(&|_| true) => {
                    RecordingEnd::Gap
                }
                _ if self.counts.is_unchanged() => RecordingEnd::Unchanged,
                _ => RecordingEnd::Whole,
            };
            self.counts.is_kept = !self.recorder.recording.finish(&|_| true, end, found);
        }
        if matches!(self.state, CompletionState::Loaded(_)) {
            self.log.add(self.recorder.recording.path(), self.counts);
        }
    }
}
