//! Evaluation of recognition quality: labeled utterances, the readings of recognizers, and quality measures.
//!
//! No result depends on the order of the utterances or on the number of threads. Randomness comes from a seed.

mod dataset;
mod eval_requirement;
mod eval_result;
mod evaluation;
mod measures;
mod paired_comparison;
mod reader_result;
mod utterance_reader;
mod utterance_result;

pub use dataset::{DatasetFile, DatasetUtterance, NONE, UtteranceFilter};
pub use eval_requirement::{EvalRequirement, RequiredMeasure};
pub use eval_result::{DatasetSummary, EvalResult};
pub use evaluation::{AskedReader, Evaluation};
pub use measures::{
    AlsoCounts, Calibration, CalibrationBin, ConfusedPair, GroupScore, IntentScore,
    LatencyQuantiles, NoneAdvice, NoneOutcome, ReadingMeasures, SlotScore, SlotScores,
    ThresholdAdvice, ThresholdOutcome,
};
pub use paired_comparison::{PairedComparison, PairedDifference};
pub use reader_result::{LinkUsage, ReaderResult};
pub use utterance_reader::{UtteranceReader, refuse_silent};
pub use utterance_result::{FailedAsk, LikelyIntent, UtteranceReading, UtteranceResult};
