//! Lines that wait for earlier lines.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// How late a line can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lateness {
    /// At most this number of lines that should follow it come before it.
    Lines(usize),
    /// The order of the lines before it is at most this number of nanoseconds ahead.
    Nanoseconds(i128),
}

/// A line that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WaitingLine {
    pub number: usize,
    pub text: String,
    pub order: Option<i128>,
}

/// Lines that wait for earlier lines, by their order and their arrival.
#[derive(Clone, Debug)]
pub(super) struct LateLines {
    pub lateness: Lateness,
    waiting: BTreeMap<(i128, u64), WaitingLine>,
    arrivals: u64,
    /// The greatest order so far.
    latest: i128,
}

impl Default for Lateness {
    fn default() -> Self {
        Self::Lines(0)
    }
}

impl FromStr for Lateness {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected seconds, such as `5s`, or a number of lines".to_owned();
        match text.strip_suffix('s') {
            Some(seconds) => {
                let seconds = seconds.parse().map_err(|_| wrong())?;
                let time = std::time::Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
                Ok(Self::Nanoseconds(
                    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX),
                ))
            }
            None => text.parse().map(Self::Lines).map_err(|_| wrong()),
        }
    }
}

impl LateLines {
    pub(super) fn new(lateness: Lateness) -> Self {
        Self {
            lateness,
            waiting: BTreeMap::new(),
            arrivals: 0,
            latest: i128::MIN,
        }
    }

    /// Whether lines never wait.
    pub(super) fn is_unused(&self) -> bool {
        self.lateness == Lateness::default() && self.waiting.is_empty()
    }

    /// Adds a line. A line without an order follows the lines before it.
    pub(super) fn push(&mut self, line: WaitingLine) {
        let order = line.order.unwrap_or(self.latest);
        self.latest = self.latest.max(order);
        self.arrivals += 1;
        self.waiting.insert((order, self.arrivals), line);
    }

    /// Removes the first line if no earlier line can arrive.
    pub(super) fn pop(&mut self) -> Option<WaitingLine> {
        let (first, _) = *self.waiting.first_key_value()?.0;
        let is_ready = match self.lateness {
            Lateness::Lines(lines) => self.waiting.len() > lines,
            Lateness::Nanoseconds(time) => {
                nanoseconds(self.latest).saturating_sub(nanoseconds(first)) > time
            }
        };
        if is_ready { self.pop_any() } else { None }
    }

    /// Removes the first line.
    pub(super) fn pop_any(&mut self) -> Option<WaitingLine> {
        self.waiting.pop_first().map(|(_, line)| line)
    }

    /// The lines that wait, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &WaitingLine> {
        self.waiting.values()
    }
}

/// A time in nanoseconds. The unit of a number since 1970 follows from its size.
fn nanoseconds(time: i128) -> i128 {
    let factor = match time.unsigned_abs() {
        0..100_000_000_000 => SECOND,
        100_000_000_000..100_000_000_000_000 => SECOND / 1000,
        100_000_000_000_000..100_000_000_000_000_000 => SECOND / 1_000_000,
        _ => 1,
    };
    time.saturating_mul(factor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(lateness: Lateness, orders: &[i128]) -> Vec<i128> {
        let mut late = LateLines::new(lateness);
        let mut out = Vec::new();
        for (number, order) in orders.iter().enumerate() {
            let text = String::new();
            late.push(WaitingLine {
                number,
                text,
                order: Some(*order),
            });
            out.extend(std::iter::from_fn(|| late.pop()).filter_map(|line| line.order));
        }
        out.extend(std::iter::from_fn(|| late.pop_any()).filter_map(|line| line.order));
        out
    }

    proptest! {
        #[test]
        fn lines_within_the_lateness_are_sorted(count in 1_usize..60, late in 0_usize..9, seed: u64) {
            let mut random = seed;
            let mut keyed: Vec<(usize, i128)> = (0..count)
                .map(|at| {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (at + (random >> 33) as usize % (late + 1), at as i128)
                })
                .collect();
            keyed.sort_by_key(|(at, _)| *at);
            let orders: Vec<i128> = keyed.into_iter().map(|(_, order)| order).collect();
            let expected: Vec<i128> = (0..count as i128).collect();
            prop_assert_eq!(sorted(Lateness::Lines(late), &orders), expected.clone());
            prop_assert_eq!(sorted(Lateness::Nanoseconds(late as i128 * SECOND), &orders), expected);
        }
    }

    #[test]
    fn lateness_is_read_as_seconds_or_lines() {
        assert_eq!("20".parse(), Ok(Lateness::Lines(20)));
        assert_eq!("0.5s".parse(), Ok(Lateness::Nanoseconds(SECOND / 2)));
        for wrong in ["", "s", "-1", "-1s", "5m", "NaNs"] {
            assert!(wrong.parse::<Lateness>().is_err(), "{wrong}");
        }
    }
}
