//! A share that was seen, and between what it really may be.

use serde::{Deserialize, Serialize};

use crate::statistics::Proportion;

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

impl ShareInterval {
    /// So many of all.
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
