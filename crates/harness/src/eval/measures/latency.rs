//! Latency of live models.

use serde::{Deserialize, Serialize};

/// The time that live models take for an utterance, including all attempts, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyQuantiles {
    /// The number of utterances that a live model read.
    pub utterances: u64,
    /// The 50th percentile.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The maximum.
    pub most: u64,
}

impl LatencyQuantiles {
    /// Calculates nearest-rank percentiles of the given times. Returns `None` without any times.
    pub fn of(times: impl Iterator<Item = u64>) -> Option<Self> {
        let mut times: Vec<u64> = times.collect();
        times.sort_unstable();
        let most = *times.last()?;
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().unwrap_or(most)
        };
        Some(Self {
            utterances: times.len() as u64,
            p50: at(50),
            p90: at(90),
            p99: at(99),
            most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_measured_times() {
        let of = |times: &[u64]| LatencyQuantiles::of(times.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[7]),
            Some(LatencyQuantiles {
                utterances: 1,
                p50: 7,
                p90: 7,
                p99: 7,
                most: 7
            })
        );
        let times: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(
            of(&times),
            Some(LatencyQuantiles {
                utterances: 100,
                p50: 50,
                p90: 90,
                p99: 99,
                most: 100
            })
        );
        assert_eq!(
            of(&[30, 10, 20]).map(|found| (found.p50, found.p90)),
            Some((20, 30))
        );
    }
}
