//! What came of an evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::labelled::LabelledUtterance;
use super::measures::{MeasureOptions, ReadingMeasures};
use super::paired_comparison::PairedComparison;
use super::reader_result::{LinkUsage, ReaderResult};
use super::utterance_result::{UtteranceReading, UtteranceResult};
use fsmsim_core::engine::{Machine, ReadingDoubt};

/// What came of an evaluation, as reports hold it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalResult {
    /// The model.
    pub model: String,
    /// The profile.
    pub profile: String,
    /// The utterances that were labelled.
    pub labelled: LabelledSummary,
    /// What chance comes from.
    pub seed: u64,
    /// It was broken off: not all utterances were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Each reader.
    pub readers: Vec<ReaderResult>,
    /// The two of them side by side; or the one, beside that of another report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<PairedComparison>,
    /// What was read formerly beside what is read now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PairedComparison>,
    /// Each utterance.
    pub utterances: Vec<UtteranceResult>,
}

/// The utterances that were labelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledSummary {
    /// The file.
    pub file: String,
    /// A hash of it.
    pub hash: String,
    /// The utterances that were wanted.
    pub utterances: u64,
    /// Those that were left out by filters, or by chance.
    pub left_out: u64,
}

impl EvalResult {
    /// Nothing was read yet.
    pub fn new(model: String, profile: String, labelled: LabelledSummary, seed: u64) -> Self {
        Self {
            model,
            profile,
            labelled,
            seed,
            stopped: false,
            readers: Vec::new(),
            comparison: None,
            baseline: None,
            utterances: Vec::new(),
        }
    }

    /// Adds what a reader made of the utterances; those that it did not come to are nobody's. No more than `most_wrong` of
    /// what is carried out may be wrong.
    pub fn push(
        &mut self,
        (reader, usage): (&str, Vec<LinkUsage>),
        utterances: &[LabelledUtterance],
        read: Vec<(UtteranceReading, Option<ReadingDoubt>)>,
        (machine, most_wrong): (&Machine, f64),
    ) {
        let number = self.readers.len();
        self.stopped |= read.len() < utterances.len();
        if number == 0 {
            let read = utterances.iter().take(read.len());
            self.utterances = read
                .map(|utterance| UtteranceResult::new(utterance, Vec::new()))
                .collect();
        } else {
            self.utterances.truncate(read.len());
        }
        let mut doubts = Vec::with_capacity(read.len());
        for (utterance, (reading, doubt)) in self.utterances.iter_mut().zip(read) {
            utterance.readings.push(reading);
            doubts.push(doubt);
        }
        let rules = machine.policies.disambiguation();
        let rules = rules.filter(|rules| rules.ambiguous.is_some());
        let thresholds = rules.map(|rules| rules.thresholds);
        let options = MeasureOptions {
            thresholds,
            doubts: &doubts,
            most_wrong,
            seed: self.seed,
        };
        let measures = ReadingMeasures::of(&self.utterances, number, &options);
        self.readers.push(ReaderResult {
            reader: reader.to_owned(),
            measures,
            usage,
        });
    }

    /// Puts its two readers side by side.
    pub fn compare(&mut self) {
        if let [first, second] = &*self.readers {
            let first = (&*first.reader, &*self.utterances, 0);
            let second = (&*second.reader, &*self.utterances, 1);
            self.comparison = Some(PairedComparison::of(first, second, self.seed));
        }
    }

    /// Puts its first reader beside the first reader of another report, which comes second.
    pub fn compare_to(&mut self, other: &Self) {
        self.comparison = Some(PairedComparison::of(self.named(), other.named(), self.seed));
    }

    /// Puts its first reader beside the first reader of a former report, which comes first.
    pub fn hold_against(&mut self, former: &Self) {
        self.baseline = Some(PairedComparison::of(
            former.named(),
            self.named(),
            self.seed,
        ));
    }

    /// Whether its first reader can be compared over any of these utterances: it was asked about one, with the same label.
    pub fn has_any_of(&self, utterances: &[LabelledUtterance]) -> bool {
        let answered = self
            .utterances
            .iter()
            .filter(|one| one.is_right(0).is_some());
        let known: BTreeMap<&str, &str> = answered.map(|one| (&*one.key, &*one.intent)).collect();
        utterances
            .iter()
            .any(|utterance| known.get(&*utterance.key) == Some(&&*utterance.intent))
    }

    fn named(&self) -> (&str, &[UtteranceResult], usize) {
        (
            self.readers.first().map_or("", |reader| &reader.reader),
            &self.utterances,
            0,
        )
    }

    /// Whether nobody could be asked about some of the utterances.
    pub fn has_unanswered(&self) -> bool {
        self.readers
            .iter()
            .any(|reader| reader.measures.unanswered > 0)
    }

    /// The utterance that is known by this.
    pub fn utterance(&self, key: &str) -> Option<&UtteranceResult> {
        self.utterances
            .iter()
            .find(|utterance| utterance.key == key)
    }
}
