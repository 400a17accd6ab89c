//! Lets somebody read labelled utterances.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use super::labelled::LabelledUtterance;
use super::utterance_reader::UtteranceReader;
use super::utterance_result::UtteranceReading;
use fsmsim_adapters::llm::{AnswererConfig, CassettePath, DialogueKey};
use fsmsim_core::engine::ReadingDoubt;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::{Next, Threads};

/// Who reads.
#[derive(Debug)]
pub struct AskedReader<'a> {
    /// Who is asked.
    pub answerers: &'a AnswererConfig,
    /// The cassette from which is answered, or to which is recorded, where there is one.
    pub cassette: Option<CassettePath>,
    /// What the chance of mocks comes from.
    pub seed: u64,
}

impl AskedReader<'_> {
    /// By what whoever is asked knows a dialogue.
    fn key<'k>(&'k self, dialogue: &'k str) -> DialogueKey<'k> {
        DialogueKey {
            seed: self.seed,
            dialogue,
            number: 0,
            cassette: self.cassette.as_ref(),
        }
    }
}

/// Utterances that are to be read.
#[derive(Debug)]
pub struct Evaluation<'e> {
    /// How they are read.
    pub reader: UtteranceReader<'e>,
    pub utterances: &'e [LabelledUtterance],
    /// No further utterance is begun where this is set.
    pub stopped: &'e AtomicBool,
}

impl Evaluation<'_> {
    /// The name of what is recorded, as its cassette has it.
    pub const DIALOGUE: &'static str = "eval";

    /// Lets somebody read the utterances, several at a time, and tells `each` whenever one is read; what comes of it is in
    /// their order. Where there is a cassette they are read one by one.
    pub fn read(
        &self,
        asked: &AskedReader<'_>,
        threads: &Threads,
        each: &mut dyn FnMut(),
        found: &mut Diagnostics,
    ) -> Vec<(UtteranceReading, Option<ReadingDoubt>)> {
        let mut read = Vec::with_capacity(self.utterances.len());
        if asked.cassette.is_some() {
            let mut answerer = asked.answerers.answerer(&asked.key(Self::DIALOGUE));
            for utterance in self.utterances.iter().take_while(|_| !self.is_stopped()) {
                read.push(self.reader.read(utterance, &mut *answerer));
                each();
            }
            // What was broken off takes the place of nothing that is whole.
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
        // Each is a dialogue of its own, so that the chance of mocks does not depend on where it stands.
        let work = |utterance: &LabelledUtterance| {
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
