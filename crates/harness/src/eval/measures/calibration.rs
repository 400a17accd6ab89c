//! Calibration of confidence values.

use serde::{Deserialize, Serialize};

use crate::statistics::{Proportion, real, rounded};

/// Calibration of confidence values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The expected calibration error: the mean difference between confidence and accuracy.
    pub ece: f64,
    /// Readings by confidence, without empty bins.
    pub bins: Vec<CalibrationBin>,
}

/// A group of readings with similar confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// The lower bound, inclusive.
    pub from: f64,
    /// The upper bound, exclusive; the last bin includes 1.
    pub to: f64,
    pub confidence: f64,
    /// The proportion of correct readings.
    pub accuracy: Proportion,
}

/// The number of bins.
const BINS: usize = 10;
/// The tolerance for decimal fractions that floats only approximate. For example, 0.3 must be in the fourth bin.
const SLACK: f64 = 1e-9;

impl Calibration {
    /// Calculates the calibration of readings, each given as its confidence and whether it is correct. Returns `None`
    /// without readings.
    pub fn of(readings: impl Iterator<Item = (f64, bool)>) -> Option<Self> {
        let mut bins = [(0.0, 0_u64, 0_u64); BINS];
        for (confidence, is_correct) in readings {
            // The number of lower bounds that the confidence reaches or exceeds.
            let step = (1..BINS)
                .filter(|step| confidence + SLACK >= step_at(*step))
                .count();
            if let Some((sum, correct, all)) = bins.get_mut(step) {
                *sum += confidence;
                *correct += u64::from(is_correct);
                *all += 1;
            }
        }
        let whole: u64 = bins.iter().map(|(.., all)| all).sum();
        if whole == 0 {
            return None;
        }
        let apart = |(sum, correct, _): &(f64, u64, u64)| (sum - real(*correct)).abs();
        let ece = rounded(bins.iter().map(apart).sum::<f64>() / real(whole));
        let bins = bins
            .iter()
            .enumerate()
            .filter(|(_, (.., all))| *all > 0)
            .map(|(step, (sum, correct, all))| CalibrationBin {
                from: rounded(step_at(step)),
                to: rounded(step_at(step + 1)),
                confidence: rounded(sum / real(*all)),
                accuracy: Proportion::of(*correct, *all),
            });
        Some(Self {
            ece,
            bins: bins.collect(),
        })
    }
}

fn step_at(step: usize) -> f64 {
    real(step as u64) / real(BINS as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The expected calibration error, with three decimals.
    fn ece(readings: &[(f64, bool)]) -> String {
        format!(
            "{:.3}",
            Calibration::of(readings.iter().copied()).unwrap().ece
        )
    }

    #[test]
    fn calibration_error_matches_known_values() {
        // If all confidences are 1.0, the error is the proportion of incorrect readings.
        assert_eq!(
            ece(&[(1.0, true), (1.0, true), (1.0, false), (1.0, true)]),
            "0.250"
        );
        assert_eq!(ece(&[(0.5, true), (0.5, false)]), "0.000");
        // 0.9: two of three are correct, a difference of 0.2333. 0.6: the only one is incorrect, a difference of 0.6.
        // (3 · 0.2333 + 0.6) / 4.
        assert_eq!(
            ece(&[(0.9, true), (0.9, true), (0.9, false), (0.6, false)]),
            "0.325"
        );
        assert_eq!(Calibration::of(std::iter::empty()), None);
    }

    #[test]
    fn each_confidence_is_in_its_bin() {
        let found = Calibration::of(
            [0.0, 0.1, 0.3, 0.7, 1.0]
                .map(|share| (share, true))
                .into_iter(),
        )
        .unwrap();
        let steps: Vec<(f64, f64)> = found.bins.iter().map(|bin| (bin.from, bin.to)).collect();
        assert_eq!(
            steps,
            [(0.0, 0.1), (0.1, 0.2), (0.3, 0.4), (0.7, 0.8), (0.9, 1.0)]
        );
    }

    proptest! {
        #[test]
        fn calibration_does_not_depend_on_order(mut readings in prop::collection::vec((0_u32..=100, any::<bool>()), 1..60)) {
            let of = |readings: &[(u32, bool)]| {
                Calibration::of(readings.iter().map(|(share, is_correct)| (f64::from(*share) / 100.0, *is_correct))).unwrap()
            };
            let before = of(&readings);
            readings.reverse();
            let after = of(&readings);
            prop_assert!((before.ece - after.ece).abs() < 1e-3 && (0.0..=1.0).contains(&before.ece));
            prop_assert_eq!(before.bins.len(), after.bins.len());
        }
    }
}
