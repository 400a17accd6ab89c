//! All measures of a recognizer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::also_counts::AlsoCounts;
use super::calibration::Calibration;
use super::group_scores::GroupScore;
use super::intent_scores::{ConfusedPair, IntentCounts, IntentScore};
use super::latency::LatencyQuantiles;
use super::none_advice::NoneAdvice;
use super::scored_interpretation::ScoredInterpretation;
use super::slot_scores::SlotScores;
use super::threshold_advice::ThresholdAdvice;
use crate::eval::utterance_result::UtteranceResult;
use crate::statistics::{Bootstrap, Interval, Proportion};
use fsmsim_core::engine::{ConfidenceThresholds, RecognitionConfidence};

/// All measures of a recognizer. Utterances without an answer count only in `unanswered`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadingMeasures {
    /// The proportion of utterances with the correct intent.
    pub accuracy: Proportion,
    /// The unweighted mean F1 of the labeled intents.
    pub macro_f1: f64,
    /// The bootstrap confidence interval of `macro_f1`.
    pub macro_f1_interval: Interval,
    /// The mean F1 of the intents, weighted by the number of labels.
    pub weighted_f1: f64,
    /// The proportion of utterances recognized as any intent.
    pub predicted: Proportion,
    /// The number of utterances without a usable answer.
    pub unanswered: u64,
    /// The number of recognized utterances for each recognizer.
    pub predicted_by: BTreeMap<String, u64>,
    /// The scores of each intent, by name.
    pub intents: Vec<IntentScore>,
    /// Confused intents, the most frequent first.
    pub confused: Vec<ConfusedPair>,
    /// Scores of secondary intents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<AlsoCounts>,
    /// Scores of slot values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<SlotScores>,
    /// Calibration of confidence values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Suggested thresholds for the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdAdvice>,
    /// The suggested score below which the examples recognize no intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none_below: Option<NoneAdvice>,
    /// Accuracy by state, language and tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupScore>,
    /// Latency of live models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<LatencyQuantiles>,
}

/// Additional inputs for calculating the measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasureOptions<'m> {
    /// The thresholds of the flow, if it has any.
    pub thresholds: Option<ConfidenceThresholds>,
    /// The score below which the examples recognize no intent.
    pub none_below: f64,
    /// The confidence of each reading, if any.
    pub doubts: &'m [Option<RecognitionConfidence>],
    /// The maximum proportion of incorrect readings among the accepted ones.
    pub max_incorrect: f64,
    /// The random seed.
    pub seed: u64,
}

impl ReadingMeasures {
    /// Measures the readings of one recognizer.
    pub(crate) fn of(
        utterances: &[UtteranceResult],
        reader: usize,
        options: &MeasureOptions<'_>,
    ) -> Self {
        // Samples are drawn by index, so sort the utterances to make the samples independent of the original order.
        let mut sorted: Vec<&UtteranceResult> = utterances.iter().collect();
        sorted.sort_by(|one, other| one.key.cmp(&other.key));
        let counts = IntentCounts::of(sorted.into_iter(), reader);
        let (macro_f1, weighted_f1) = counts.f1();
        let bootstrap = Bootstrap::new(options.seed, counts.len());
        let all = || {
            utterances
                .iter()
                .filter_map(|utterance| Some((utterance, utterance.reading(reader)?)))
        };
        let readings = || {
            utterances
                .iter()
                .filter_map(|utterance| utterance.readings.get(reader))
        };
        let mut predicted_by = BTreeMap::new();
        for reading in readings().filter(|reading| reading.intent.is_some()) {
            if let Some(by) = &reading.by {
                *predicted_by.entry(by.clone()).or_insert(0) += 1;
            }
        }
        let is_read = |(_, reading): &(_, &crate::eval::UtteranceReading)| {
            reading.intent.is_some() && !reading.fits_nothing
        };
        let confidences = all().filter_map(|(utterance, reading)| {
            Some((reading.confidence?, utterance.is_meant(reading)))
        });
        let judged = utterances
            .iter()
            .zip(options.doubts)
            .filter_map(|(utterance, doubt)| {
                Some(ScoredInterpretation {
                    is_correct: utterance.is_meant(utterance.reading(reader)?),
                    doubt: doubt.as_ref()?,
                    meant: &utterance.intent,
                })
            });
        let judged: Vec<ScoredInterpretation<'_>> = judged.collect();
        Self {
            accuracy: counts.accuracy(),
            macro_f1,
            macro_f1_interval: bootstrap.interval(|sample| counts.macro_f1(sample)),
            weighted_f1,
            predicted: Proportion::of(all().filter(is_read).count() as u64, counts.len() as u64),
            unanswered: readings().filter(|reading| reading.unanswered).count() as u64,
            predicted_by,
            intents: counts.scores(),
            confused: ConfusedPair::all(utterances, reader),
            also: AlsoCounts::of(all()),
            slots: SlotScores::of(all()),
            calibration: Calibration::of(confidences),
            thresholds: options
                .thresholds
                .and_then(|own| ThresholdAdvice::of(&judged, own, options.max_incorrect)),
            none_below: NoneAdvice::of(all(), options.none_below),
            groups: GroupScore::shown(utterances, reader),
            latency: LatencyQuantiles::of(readings().filter_map(|reading| reading.ms)),
        }
    }
}
