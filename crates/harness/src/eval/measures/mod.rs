//! Measures of recognition quality.

mod also_counts;
mod calibration;
mod group_scores;
mod intent_scores;
mod latency;
mod none_advice;
mod reading_measures;
mod scored_interpretation;
mod slot_scores;
mod threshold_advice;
mod threshold_search;
mod value_match;
mod value_text;

pub use also_counts::AlsoCounts;
pub use calibration::{Calibration, CalibrationBin};
pub use group_scores::GroupScore;
pub(crate) use intent_scores::IntentCounts;
pub use intent_scores::{ConfusedPair, IntentScore};
pub use latency::LatencyQuantiles;
pub use none_advice::{NoneAdvice, NoneOutcome};
pub(crate) use reading_measures::MeasureOptions;
pub use reading_measures::ReadingMeasures;
pub use slot_scores::{SlotScore, SlotScores};
pub use threshold_advice::{ThresholdAdvice, ThresholdOutcome};
