//! Bootstrap confidence intervals.

use serde::{Deserialize, Serialize};

use super::rounding::rounded;
use crate::limits::MAX_DRAWN;
use fsmsim_adapters::llm::SeededRng;

/// A 95% confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Draws random samples of the utterances with replacement. Each sample is as large as the original. The same seed
/// draws the same samples.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    seed: u64,
    size: usize,
}

/// The maximum and the minimum number of samples.
const SAMPLES: (usize, usize) = (1000, 100);
/// The proportion of samples on each side of the interval, in thousandths.
const TAIL: usize = 25;

impl Bootstrap {
    /// Creates a bootstrap for `size` utterances.
    pub fn new(seed: u64, size: usize) -> Self {
        Self { seed, size }
    }

    /// The 95% interval of a statistic, which gets each sample as a list of utterance indexes.
    pub fn interval(&self, mut statistic: impl FnMut(&[usize]) -> f64) -> Interval {
        let Ok(size) = u32::try_from(self.size) else {
            return Interval::default();
        };
        if size == 0 {
            return Interval::default();
        }
        let (most, least) = SAMPLES;
        let samples = (MAX_DRAWN / self.size).clamp(least, most);
        let mut sample = vec![0; self.size];
        let mut values: Vec<f64> = Vec::with_capacity(samples);
        for number in 0..samples {
            let mut rng = SeededRng::of(self.seed, "bootstrap", number as u64);
            sample.fill_with(|| rng.below(size) as usize);
            values.push(statistic(&sample));
        }
        values.sort_by(f64::total_cmp);
        let at = |thousandth: usize| {
            let place = (samples * thousandth / 1000).min(samples - 1);
            rounded(values.get(place).copied().unwrap_or_default())
        };
        Interval {
            low: at(TAIL),
            high: at(1000 - TAIL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Proportion, real};

    fn share_of(right: usize, all: usize, seed: u64) -> Interval {
        Bootstrap::new(seed, all).interval(|sample| {
            real(sample.iter().filter(|number| **number < right).count() as u64) / real(all as u64)
        })
    }

    #[test]
    fn same_seed_draws_the_same_samples() {
        let (one, again, other) = (
            share_of(60, 100, 0),
            share_of(60, 100, 0),
            share_of(60, 100, 1),
        );
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert!(
            (one.low - other.low).abs() < 0.03 && (one.high - other.high).abs() < 0.03,
            "{one:?} {other:?}"
        );
        assert_eq!(
            one,
            Interval {
                low: 0.51,
                high: 0.69
            }
        );
    }

    #[test]
    fn interval_of_a_proportion_is_close_to_wilson() {
        let (drawn, known) = (share_of(300, 400, 7), Proportion::of(300, 400));
        assert!(
            (drawn.low - known.low).abs() < 0.01 && (drawn.high - known.high).abs() < 0.01,
            "{drawn:?} {known:?}"
        );
        assert_eq!(share_of(0, 0, 0), Interval::default());
        assert_eq!(
            share_of(1, 1, 0),
            Interval {
                low: 1.0,
                high: 1.0
            }
        );
    }
}
