//! An observed proportion, and its confidence interval.

use serde::{Deserialize, Serialize};

use crate::statistics::Proportion;

/// An observed proportion with its 95% confidence interval (Wilson). The interval is reliable even if there are few
/// cases, or if all cases are the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareInterval {
    /// The observed proportion from 0 to 1, with four decimals. 0 if there are no cases.
    pub share: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl ShareInterval {
    /// The proportion of `part` in `all`.
    pub fn of(part: u64, all: u64) -> Self {
        let Proportion {
            share, low, high, ..
        } = Proportion::of(part, all);
        Self { share, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_matches_wilson_tables() {
        let of = |part, all| {
            let ShareInterval { share, low, high } = ShareInterval::of(part, all);
            (share, low, high)
        };
        // Values from published tables.
        assert_eq!(of(3, 5), (0.6, 0.2307, 0.8824));
        assert_eq!(of(0, 10), (0.0, 0.0, 0.2775));
        assert_eq!(of(10, 10), (1.0, 0.7225, 1.0));
        assert_eq!(of(50, 100), (0.5, 0.4038, 0.5962));
        assert_eq!(of(1, 1), (1.0, 0.2065, 1.0));
        assert_eq!(of(0, 0), (0.0, 0.0, 1.0));
    }
}
