//! Compares two recognizers on the same utterances.

use super::bootstrap::Interval;
use super::proportion::wilson;
use super::rounding::{real, rounded};

/// How many utterances two recognizers classify correctly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedCounts {
    pub both: u64,
    pub only_first: u64,
    pub only_second: u64,
    pub neither: u64,
}

impl PairedCounts {
    /// Counts an utterance, given whether each recognizer classified it correctly.
    pub fn add(&mut self, first: bool, second: bool) {
        *match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_first,
            (false, true) => &mut self.only_second,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// The number of utterances.
    pub fn all(&self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// The accuracy of the second recognizer minus that of the first.
    pub fn difference(&self) -> f64 {
        if self.all() == 0 {
            return 0.0;
        }
        rounded((real(self.only_second) - real(self.only_first)) / real(self.all()))
    }

    /// The 95% interval of this difference, by method 10 of Newcombe (Statistics in Medicine 17, 1998). The method
    /// accounts for the correlation between the recognizers.
    pub fn interval(&self) -> Interval {
        let all = real(self.all());
        if all == 0.0 {
            return Interval {
                low: -1.0,
                high: 1.0,
            };
        }
        let first = self.both + self.only_first;
        let second = self.both + self.only_second;
        let one = real(second) / all;
        let other = real(first) / all;
        let ((one_low, one_high), (other_low, other_high)) =
            (wilson(second, self.all()), wilson(first, self.all()));
        let phi = self.correlation();
        let reach = |down: f64, up: f64| {
            (down * down - 2.0 * phi * down * up + up * up)
                .max(0.0)
                .sqrt()
        };
        let low = one - other - reach(one - one_low, other_high - other);
        let high = one - other + reach(one_high - one, other - other_low);
        Interval {
            low: rounded(low.max(-1.0)),
            high: rounded(high.min(1.0)),
        }
    }

    /// The correlation between the recognizers, with continuity correction.
    fn correlation(&self) -> f64 {
        let [both, first, second, neither] =
            [self.both, self.only_first, self.only_second, self.neither].map(real);
        let margins = (both + first) * (second + neither) * (both + second) * (first + neither);
        if margins <= 0.0 {
            return 0.0;
        }
        let product = both * neither - first * second;
        let half = (both + first + second + neither) / 2.0;
        let product = if product > 0.0 {
            (product - half).max(0.0)
        } else {
            product
        };
        product / margins.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(both: u64, only_first: u64, only_second: u64, neither: u64) -> PairedCounts {
        PairedCounts {
            both,
            only_first,
            only_second,
            neither,
        }
    }

    #[test]
    fn interval_of_a_difference_matches_newcombe() {
        // Table II, method 10. Here, the difference is the second value minus the first.
        for (counts, low, high) in [
            (of(36, 2, 12, 0), 0.0569, 0.3404),
            (of(20, 2, 12, 16), 0.0562, 0.3292),
            (of(0, 0, 30, 0), 0.8395, 1.0),
        ] {
            let found = counts.interval();
            assert!(
                (found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4,
                "{counts:?}: {found:?}"
            );
        }
        assert_eq!(
            (of(0, 0, 0, 0).interval(), of(0, 0, 0, 0).difference()),
            (
                Interval {
                    low: -1.0,
                    high: 1.0
                },
                0.0
            )
        );
    }

    proptest! {
        #[test]
        fn swapping_the_recognizers_inverts_the_sign(counts in prop::array::uniform4(0_u64..200)) {
            let [both, first, second, neither] = counts;
            prop_assume!(both + first + second + neither > 0);
            let (one, other) = (of(both, first, second, neither), of(both, second, first, neither));
            prop_assert!((one.difference() + other.difference()).abs() < 1e-9);
            prop_assert!((one.interval().low + other.interval().high).abs() < 1e-3);
            prop_assert!(one.interval().low <= one.difference() && one.difference() <= one.interval().high);
        }
    }
}
