//! Answers from a cassette, and asks for what it lacks.

use super::cassette::Cassette;
use super::cassette_counts::{CassetteCounts, CompletionLog};
use super::interaction::{Interaction, hash_of};
use super::recorder::Recorder;
use super::recording::{RecordingEnd, TapePiece};
use crate::llm::answer_failure::FailureKind;
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use crate::llm::dialogue_key::DialogueKey;
use crate::llm::kind::TaskKind;
use fsmsim_syntax::diagnostic::{Diagnostics, Severity};

/// Answers from a cassette as a replay does, asks somebody else what has no recording, and records that. What is not asked any
/// more is not in the new cassette; where only a judge is asked, what is recorded of the dialogue stays in it.
pub struct Completer {
    recorder: Recorder,
    log: CompletionLog,
    state: CompletionState,
    counts: CassetteCounts,
    /// It is only asked to judge.
    is_judge: bool,
    found: Diagnostics,
}

/// What was recorded before.
enum CompletionState {
    /// Nothing was asked yet.
    Unread,
    /// The recordings, and which of them were used.
    Loaded(Vec<KnownRecording>),
    /// It cannot be used, so nobody is asked: why.
    Unusable(String),
}

/// A recording that may be used once.
pub(super) struct KnownRecording {
    pub(super) interaction: Interaction,
    pub(super) piece: TapePiece,
    is_used: bool,
}

impl KnownRecording {
    pub(super) fn new(interaction: Interaction, piece: TapePiece) -> Self {
        Self {
            interaction,
            piece,
            is_used: false,
        }
    }

    /// Whether it is what somebody said in the dialogue, and no judgement about it.
    fn is_of_dialogue(&self) -> bool {
        self.interaction.need != TaskKind::Judge
    }
}

impl Completer {
    /// Completes the cassette that a recorder records. Where it `is_judge`, somebody else is asked about the dialogue itself.
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

    /// The same, where it is known what was recorded before: of one dialogue of a simulation, while others complete others.
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
        // It is held before it is read: what another run writes now is not lost.
        let leftover = match recording.complete(None) {
            Ok(leftover) => leftover,
            Err(why) => return CompletionState::Unusable(why),
        };
        let mut cassette = Cassette::default();
        // A path that cannot be looked at is told by the reading.
        if !matches!(path.try_exists(), Ok(false)) {
            match Cassette::load(path, recording.title(), Severity::Warning, &mut self.found) {
                Some(old) => cassette = old,
                None => {
                    return CompletionState::Unusable(format!(
                        "the cassette `{shown}` cannot be used"
                    ));
                }
            }
        }
        self.counts.bad = self.found.items().len() as u64;
        let old = cassette.into_interactions().into_iter();
        let old: Vec<_> = old
            .map(|interaction| {
                let line = TapePiece::Line(interaction.line().into());
                KnownRecording::new(interaction, line)
            })
            .collect();
        self.counts.old = old.len() as u64;
        let new = leftover.lines.into_iter();
        let new = new.filter_map(|(span, _)| {
            Some(KnownRecording::new(
                recording.read(span)?,
                TapePiece::New(span),
            ))
        });
        let new = new.collect();
        CompletionState::Loaded(in_order(old, new, leftover.is_newer))
    }
}

/// Recordings in the order in which they are used: those of a run that was broken off first, where it recorded everything anew.
pub(super) fn in_order(
    old: Vec<KnownRecording>,
    new: Vec<KnownRecording>,
    is_newer: bool,
) -> Vec<KnownRecording> {
    let (first, second) = if is_newer { (new, old) } else { (old, new) };
    first.into_iter().chain(second).collect()
}

/// Leaves what was recorded of a dialogue where it stands.
fn take_along<'a>(
    known: impl Iterator<Item = &'a mut KnownRecording>,
    recorder: &Recorder,
    counts: &mut CassetteCounts,
) {
    for known in known.filter(|known| !known.is_used && known.is_of_dialogue()) {
        known.is_used = true;
        counts.taken_along += 1;
        counts.taken_up += u64::from(matches!(known.piece, TapePiece::New(_)));
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
        let (turn, need) = (request.turn, request.task.kind());
        let prompt = self.recorder.prompt(request, failed)?;
        let hash = hash_of(&prompt);
        // What nobody answered is asked for once more.
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
            take_along(
                known.iter_mut().take(here),
                &self.recorder,
                &mut self.counts,
            );
        }
        if let Some(known) = at.and_then(|at| known.get_mut(at)) {
            known.is_used = true;
            self.counts.replayed += 1;
            self.counts.taken_up += u64::from(matches!(known.piece, TapePiece::New(_)));
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
            take_along(known.iter_mut(), &self.recorder, &mut self.counts);
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
