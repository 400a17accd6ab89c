//! The result of an evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dataset::DatasetUtterance;
use super::measures::{MeasureOptions, ReadingMeasures};
use super::paired_comparison::PairedComparison;
use super::reader_result::{LinkUsage, ReaderResult};
use super::utterance_result::{UtteranceReading, UtteranceResult};
use fsmsim_adapters::llm::ExampleClassifier;
use fsmsim_core::engine::{Machine, RecognitionConfidence};

/// The result of an evaluation, as reports store it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalResult {
    pub model: String,
    /// The profile, if it changes the behavior of the model.
    pub profile: Option<String>,
    /// The labeled utterances.
    pub dataset: DatasetSummary,
    /// The random seed.
    pub seed: u64,
    /// The evaluation was interrupted before all utterances were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The result of each recognizer.
    pub readers: Vec<ReaderResult>,
    /// The comparison of the two recognizers, or of one recognizer with a recognizer from another report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<PairedComparison>,
    /// The comparison with the baseline report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PairedComparison>,
    pub utterances: Vec<UtteranceResult>,
}

/// A summary of the labeled utterances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetSummary {
    pub file: String,
    /// A hash of the dataset file.
    pub hash: String,
    /// The number of selected utterances.
    pub utterances: u64,
    /// The number of utterances that filters or sampling excluded.
    pub left_out: u64,
}

impl EvalResult {
    /// A result without any readings.
    pub fn new(model: String, profile: Option<String>, dataset: DatasetSummary, seed: u64) -> Self {
        Self {
            model,
            profile,
            dataset,
            seed,
            ..Self::default()
        }
    }

    /// Adds the readings of a recognizer. Removes utterances that it did not read. At most the proportion
    /// `max_incorrect` of the accepted readings may be incorrect.
    pub fn push(
        &mut self,
        (reader, usage): (&str, Vec<LinkUsage>),
        utterances: &[DatasetUtterance],
        read: Vec<(UtteranceReading, Option<RecognitionConfidence>)>,
        (machine, max_incorrect): (&Machine, f64),
    ) {
        let number = self.readers.len();
        self.stopped |= read.len() < utterances.len();
        if number == 0 {
            self.utterances = utterances
                .iter()
                .take(read.len())
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
        let rules = machine
            .policies
            .disambiguation()
            .filter(|rules| rules.ambiguous.is_some());
        let thresholds = rules.map(|rules| rules.thresholds);
        let options = MeasureOptions {
            thresholds,
            none_below: ExampleClassifier::none_below(machine),
            doubts: &doubts,
            max_incorrect,
            seed: self.seed,
        };
        let measures = ReadingMeasures::of(&self.utterances, number, &options);
        self.readers.push(ReaderResult {
            reader: reader.to_owned(),
            measures,
            usage,
        });
    }

    /// Compares the two recognizers of this evaluation.
    pub fn compare(&mut self) {
        if let [first, second] = &*self.readers {
            let first = (&*first.reader, &*self.utterances, 0);
            let second = (&*second.reader, &*self.utterances, 1);
            self.comparison = Some(PairedComparison::of(first, second, self.seed));
        }
    }

    /// Compares the first recognizer with the first recognizer from another report, which comes second.
    pub fn compare_to(&mut self, other: &Self) {
        self.comparison = Some(PairedComparison::of(self.named(), other.named(), self.seed));
    }

    /// Compares the first recognizer with the first recognizer from a baseline report, which comes first.
    pub fn hold_against(&mut self, baseline: &Self) {
        self.baseline = Some(PairedComparison::of(
            baseline.named(),
            self.named(),
            self.seed,
        ));
    }

    /// Whether the first recognizer read any of these utterances with the same label, so that a comparison is possible.
    pub fn has_any_of(&self, utterances: &[DatasetUtterance]) -> bool {
        let answered = self
            .utterances
            .iter()
            .filter(|one| one.is_correct(0).is_some());
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

    /// Whether any utterance got no usable answer.
    pub fn has_unanswered(&self) -> bool {
        self.readers
            .iter()
            .any(|reader| reader.measures.unanswered > 0)
    }

    /// The utterance with this key.
    pub fn utterance(&self, key: &str) -> Option<&UtteranceResult> {
        self.utterances
            .iter()
            .find(|utterance| utterance.key == key)
    }
}
