//! A share that was seen, and between what it really may be.

use serde::{Deserialize, Serialize};

/// A share that was seen in a few cases, and between what it really lies in 95 of 100 times: the interval of Wilson, which is
/// honest also where there are few cases, or all of them are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareInterval {
    /// What was seen, from 0 to 1, to four places; 0 where nothing was.
    pub share: f64,
    /// It is hardly less.
    pub low: f64,
    /// It is hardly more.
    pub high: f64,
}

/// What a normal distribution exceeds on either side in 5 of 100 cases.
const Z: f64 = 1.959_963_985;

impl ShareInterval {
    /// So many of all.
    pub fn of(part: u64, all: u64) -> Self {
        if all == 0 {
            return Self { share: 0.0, low: 0.0, high: 1.0 };
        }
        let (part, all) = (number(part), number(all));
        let share = part / all;
        let square = Z * Z;
        let below = 1.0 + square / all;
        let middle = (share + square / (2.0 * all)) / below;
        let half = Z / below * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
        // Where all cases are alike, rounding would leave a trace of the opposite.
        let low = if part == 0.0 { 0.0 } else { middle - half };
        let high = if share >= 1.0 { 1.0 } else { middle + half };
        Self { share: rounded(share), low: rounded(low), high: rounded(high) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of plays are small")]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

/// To four places.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_wilson() {
        let of = |part, all| {
            let ShareInterval { share, low, high } = ShareInterval::of(part, all);
            (share, low, high)
        };
        // As tables have it.
        assert_eq!(of(3, 5), (0.6, 0.2307, 0.8824));
        assert_eq!(of(0, 10), (0.0, 0.0, 0.2775));
        assert_eq!(of(10, 10), (1.0, 0.7225, 1.0));
        assert_eq!(of(50, 100), (0.5, 0.4038, 0.5962));
        assert_eq!(of(1, 1), (1.0, 0.2065, 1.0));
        assert_eq!(of(0, 0), (0.0, 0.0, 1.0));
    }
}
