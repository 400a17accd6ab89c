//! Runs a recognizer on labeled utterances.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use super::dataset::DatasetUtterance;
use super::utterance_reader::UtteranceReader;
use super::utterance_result::UtteranceReading;
use fsmsim_adapters::llm::{AnswererConfig, CassettePath, DialogueKey};
use fsmsim_core::engine::RecognitionConfidence;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::{Next, Threads};

/// A recognizer to evaluate.
#[derive(Debug)]
pub struct AskedReader<'a> {
    /// The configured providers.
    pub answerers: &'a AnswererConfig,
    /// The cassette to replay or to record, if any.
    pub cassette: Option<CassettePath>,
    /// The random seed for mocks.
    pub seed: u64,
}

impl AskedReader<'_> {
    /// The key by which providers identify a dialogue.
    fn key<'k>(&'k self, dialogue: &'k str) -> DialogueKey<'k> {
        DialogueKey {
            seed: self.seed,
            dialogue,
            number: 0,
            cassette: self.cassette.as_ref(),
        }
    }
}

/// Utterances to be read.
#[derive(Debug)]
pub struct Evaluation<'e> {
    pub reader: UtteranceReader<'e>,
    pub utterances: &'e [DatasetUtterance],
    /// Once set, no further utterances are read.
    pub stopped: &'e AtomicBool,
}

impl Evaluation<'_> {
    /// The name of the recorded dialogue in the cassette.
    pub const DIALOGUE: &'static str = "eval";

    /// Reads the utterances in parallel and calls `each` after each one. The result is in the order of the utterances.
    /// With a cassette, reads them one by one.
    pub fn read(
        &self,
        asked: &AskedReader<'_>,
        threads: &Threads,
        each: &mut dyn FnMut(),
        found: &mut Diagnostics,
    ) -> Vec<(UtteranceReading, Option<RecognitionConfidence>)> {
        let mut read = Vec::with_capacity(self.utterances.len());
        if asked.cassette.is_some() {
            let mut answerer = asked.answerers.answerer(&asked.key(Self::DIALOGUE));
            for utterance in self.utterances.iter().take_while(|_| !self.is_stopped()) {
                read.push(self.reader.read(utterance, &mut *answerer));
                each();
            }
            // An interrupted run must not replace a complete recording.
            if read.len() == self.utterances.len() || asked.answerers.is_replay() {
                answerer.finish(found);
            }
            return read;
        }
        let mut waiting = self.utterances.iter();
        let next = || match waiting.next().filter(|_| !self.is_stopped()) {
            Some(utterance) => Next::Item(utterance),
            None => Next::End,
        };
        // Each utterance is a separate dialogue, so that random mock answers do not depend on its position.
        let work = |utterance: &DatasetUtterance| {
            let mut answerer = asked.answerers.answerer(&asked.key(&utterance.key));
            self.reader.read(utterance, &mut *answerer)
        };
        let done: Result<(), Infallible> = threads.in_order(next, work, |done| {
            read.push(done);
            each();
            Ok(())
        });
        let Ok(()) = done;
        read
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
