//! A proportion with its confidence interval.

use serde::{Deserialize, Serialize};

use super::rounding::{real, rounded};

/// The number of standard deviations on each side of the mean that contain 95% of a normal distribution.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// A proportion of cases, with its 95% confidence interval (Wilson).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// Cases that meet the criterion.
    pub part: u64,
    /// All cases.
    pub whole: u64,
    /// The proportion. 0 if there are no cases.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Proportion {
    /// The proportion of `part` in `whole`.
    pub fn of(part: u64, whole: u64) -> Self {
        let (low, high) = wilson(part, whole);
        let share = if whole == 0 {
            0.0
        } else {
            real(part) / real(whole)
        };
        Self {
            part,
            whole,
            share: rounded(share),
            low: rounded(low),
            high: rounded(high),
        }
    }

    /// Whether the unrounded proportion reaches this percentage.
    pub fn is_at_least(&self, percent: u32) -> bool {
        self.part.saturating_mul(100) >= self.whole.saturating_mul(u64::from(percent))
    }
}

/// The Wilson interval, which is from 0 to 1 if there are no cases.
pub(super) fn wilson(part: u64, whole: u64) -> (f64, f64) {
    if whole == 0 {
        return (0.0, 1.0);
    }
    let all = real(whole);
    let share = real(part) / real(whole);
    let square = Z * Z;
    let middle = share + square / (2.0 * all);
    let half = Z * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
    let scale = 1.0 + square / all;
    (
        ((middle - half) / scale).max(0.0),
        ((middle + half) / scale).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wilson_interval_matches_published_values() {
        // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
        for (part, whole, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = Proportion::of(part, whole);
            assert_eq!((found.low, found.high), (low, high), "{part} of {whole}");
        }
        assert_eq!(
            Proportion::of(0, 0),
            Proportion {
                high: 1.0,
                ..Proportion::default()
            }
        );
    }

    #[test]
    fn requirement_is_compared_without_rounding() {
        assert!(
            Proportion::of(17, 20).is_at_least(85)
                && !Proportion::of(84_999, 100_000).is_at_least(85)
        );
    }

    proptest! {
        #[test]
        fn proportion_is_within_its_interval(whole in 1_u64..5000, part in 0_u64..5000) {
            let found = Proportion::of(part.min(whole), whole);
            prop_assert!(0.0 <= found.low && found.low <= found.share && found.share <= found.high && found.high <= 1.0);
        }
    }
}
