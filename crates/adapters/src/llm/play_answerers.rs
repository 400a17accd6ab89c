//! Providers for the trials of a scenario.

use std::sync::Arc;

use super::answerer::Answerer;
use super::answerer_config::{AnswererConfig, CassetteMode, recording_of};
use super::cassette::{
    CassetteCounts, CompletionLog, PlayId, Recorder, Recording, RecordingEnd, Redactions,
};
use super::dialogue_key::DialogueKey;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Providers for the trials of a scenario, which share one cassette. With live models, trials can run in parallel.
/// Otherwise each trial continues after the previous one.
pub struct PlayAnswerers<'a> {
    config: &'a AnswererConfig,
    key: DialogueKey<'a>,
    recorder: Option<PlayRecorder>,
    overlaps: bool,
    /// The provider for all trials, one after another.
    one: Option<Box<dyn Answerer>>,
    is_broken_off: bool,
}

/// The recorder for parallel trials.
pub(super) struct PlayRecorder {
    pub recording: Arc<Recording>,
    pub redactions: Arc<Redactions>,
    /// Counts the requests, if set.
    pub log: Option<CompletionLog>,
}

impl<'a> PlayAnswerers<'a> {
    pub(super) fn new(
        config: &'a AnswererConfig,
        key: DialogueKey<'a>,
        recorder: Option<PlayRecorder>,
        overlaps: bool,
    ) -> Self {
        let one = (!overlaps).then(|| config.answerer(&key));
        Self {
            config,
            key,
            recorder,
            overlaps,
            one,
            is_broken_off: false,
        }
    }

    /// Whether trials can run in parallel.
    pub fn overlaps(&self) -> bool {
        self.overlaps
    }

    /// The provider for the trial with this number, from 0.
    pub fn of_play(&mut self, number: u32) -> Box<dyn Answerer> {
        let key = DialogueKey {
            number: number.into(),
            ..self.key
        };
        if let Some(mut one) = self.one.take() {
            if number > 0 {
                one.rewind(&key);
            }
            return one;
        }
        match &self.recorder {
            Some(PlayRecorder {
                recording,
                redactions,
                ..
            }) => {
                let play = PlayId {
                    group: 0,
                    number: number.into(),
                };
                let recording = Arc::clone(recording);
                let redactions = Arc::clone(redactions);
                let recorder = Recorder::new(self.config.chain(&key), recording, redactions);
                Box::new(recorder.of_play(play, None))
            }
            None => self.config.chain(&key),
        }
    }

    /// Ends a trial and takes its provider back.
    pub fn give_back(&mut self, mut answerer: Box<dyn Answerer>, found: &mut Diagnostics) {
        if self.overlaps {
            answerer.finish(found);
        } else {
            self.one = Some(answerer);
        }
    }

    /// Marks the dialogue as ended early.
    pub fn break_off(&mut self) {
        self.is_broken_off = true;
    }

    /// Ends all trials. Only the first `counted` trials count. Writes recordings and reports findings.
    pub fn finish(self, counted: u32, found: &mut Diagnostics) {
        if let Some(mut one) = self.one {
            if self.is_broken_off {
                one.break_off();
            }
            one.finish(found);
        }
        let Some(PlayRecorder { recording, log, .. }) = self.recorder else {
            return;
        };
        let counts = |play: PlayId| play.number < u64::from(counted);
        let has_gap = self.is_broken_off || recording.has_gap(&counts);
        let asked = recording.count(&counts);
        recording.finish(
            &counts,
            if has_gap {
                RecordingEnd::Gap
            } else {
                RecordingEnd::Whole
            },
            found,
        );
        if let Some(log) = log.filter(|_| asked > 0) {
            log.add(recording.path(), CassetteCounts::recorded_again(asked));
        }
    }
}

impl AnswererConfig {
    /// Providers for the trials of a scenario, which share one cassette.
    pub fn plays<'a>(&'a self, key: DialogueKey<'a>) -> PlayAnswerers<'a> {
        let recorder = match (&self.cassettes, key.cassette) {
            (CassetteMode::Record(redactions, claims), Some(cassette)) => {
                Some((cassette, redactions, claims))
            }
            // Without an existing cassette, no request has a recording.
            (CassetteMode::RecordMissing(redactions, claims, _), Some(cassette))
                if cassette.is_nowhere() =>
            {
                Some((cassette, redactions, claims))
            }
            _ => None,
        };
        let recorder = recorder.map(|(cassette, redactions, claims)| PlayRecorder {
            recording: Arc::new(recording_of(&key, cassette, claims)),
            redactions: Arc::clone(redactions),
            log: if let CassetteMode::RecordMissing(_, _, log) = &self.cassettes {
                Some(log.clone())
            } else {
                None
            },
        });
        let overlaps = self.open_requests().is_some()
            && (recorder.is_some() || matches!(self.cassettes, CassetteMode::None) || key.cassette.is_none())
            // A judge with its own cassettes continues from trial to trial.
            && !self.judge.as_deref().is_some_and(Self::needs_cassettes);
        PlayAnswerers::new(self, key, recorder.filter(|_| overlaps), overlaps)
    }
}
