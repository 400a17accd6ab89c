//! Statistics on the number of turns per dialogue.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Statistics on the number of turns per dialogue. All values derive from the histogram, so shards can be merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnCounts {
    /// The total number of turns in all dialogues.
    pub total: u64,
    /// The mean per dialogue.
    pub mean: f64,
    /// The 90th percentile of turns per dialogue.
    pub p90: u32,
    /// Dialogues by number of turns.
    pub histogram: BTreeMap<u32, u64>,
}

impl TurnCounts {
    /// Calculates the statistics from a histogram of dialogues by number of turns.
    pub fn new(histogram: BTreeMap<u32, u64>) -> Self {
        let turns = histogram
            .iter()
            .map(|(turns, dialogues)| u64::from(*turns).saturating_mul(*dialogues));
        let mut counts = Self {
            total: turns.fold(0, u64::saturating_add),
            mean: 0.0,
            p90: 0,
            histogram,
        };
        counts.mean = quotient(counts.total, counts.dialogues());
        counts.p90 = counts.percentile(90);
        counts
    }

    pub fn dialogues(&self) -> u64 {
        self.histogram
            .values()
            .copied()
            .fold(0, u64::saturating_add)
    }

    /// Adds the counts of other dialogues.
    pub fn plus(mut self, other: &Self) -> Self {
        for (turns, dialogues) in &other.histogram {
            let sum = self.histogram.entry(*turns).or_default();
            *sum = sum.saturating_add(*dialogues);
        }
        Self::new(self.histogram)
    }

    /// The nearest-rank percentile of turns per dialogue. 0 if there are no dialogues.
    fn percentile(&self, per_cent: u8) -> u32 {
        let rank = (u128::from(self.dialogues()) * u128::from(per_cent))
            .div_ceil(100)
            .max(1);
        let mut ended = 0_u128;
        for (turns, dialogues) in &self.histogram {
            ended += u128::from(*dialogues);
            if ended >= rank {
                return *turns;
            }
        }
        0
    }
}

/// `part` divided by `whole`, or 0 if `whole` is 0.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn quotient(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lengths: &[u32]) -> TurnCounts {
        let mut histogram = BTreeMap::new();
        for turns in lengths {
            *histogram.entry(*turns).or_default() += 1;
        }
        TurnCounts::new(histogram)
    }

    #[test]
    fn percentile_uses_the_nearest_rank() {
        assert_eq!(counts(&[]).percentile(90), 0);
        assert_eq!(counts(&[7]).percentile(90), 7);
        assert_eq!(counts(&[3, 1, 2]).percentile(50), 2);
        let hundred: Vec<u32> = (1..=100).collect();
        for (per_cent, turns) in [(0, 1), (1, 1), (50, 50), (90, 90), (100, 100)] {
            assert_eq!(counts(&hundred).percentile(per_cent), turns);
        }
        assert_eq!(counts(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 9]).percentile(90), 1);
        assert_eq!(counts(&[1, 1, 1, 1, 1, 1, 1, 1, 9, 9]).percentile(90), 9);
    }

    #[test]
    fn shards_add_up_to_the_total() {
        let (one, other) = (counts(&[1, 5]), counts(&[5, 9, 100]));
        assert_eq!(one.clone().plus(&other), counts(&[1, 5, 5, 9, 100]));
        assert_eq!(counts(&[1, 5]).plus(&other), other.clone().plus(&one));
        let most = TurnCounts::new(BTreeMap::from([(u32::MAX, u64::MAX)]));
        assert_eq!(most.clone().plus(&most), most);
    }
}
