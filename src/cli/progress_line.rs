//! How far a run is, on a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::in_ci;
use fsmsim_harness::scenario::SuiteCounts;

/// How often the line is drawn anew.
const TICK: Duration = Duration::from_millis(200);
/// What the line shows.
const LINE: &str = "{elapsed} {bar:24} {pos} of {len} {prefix}{msg}, {eta} left";

/// A line on standard error that shows how far a run is. There is none where nobody looks: where standard error is no
/// terminal, and in continuous integration.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    began: Instant,
}

impl ProgressLine {
    /// A run over so many of something.
    pub(super) fn over(count: usize, what: &'static str) -> Self {
        let is_watched = std::io::stderr().is_terminal() && !in_ci();
        let target = if is_watched {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(count as u64), target).with_prefix(what);
        if is_watched {
            bar.set_style(
                ProgressStyle::with_template(LINE).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.enable_steady_tick(TICK);
        }
        Self {
            bar,
            began: Instant::now(),
        }
    }

    /// Prints something, while the line is not there.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// A file is done; these are the counts so far.
    pub(super) fn step(&self, counts: &SuiteCounts) {
        self.bar.inc(1);
        self.bar.set_message(told(counts, self.began.elapsed()));
    }

    /// One more is done.
    pub(super) fn advance(&self) {
        self.bar.inc(1);
    }

    /// The run is over, and the line goes away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The counts, and how many scenarios that is a second.
fn told(counts: &SuiteCounts, elapsed: Duration) -> String {
    let parts = [
        (counts.failed + counts.stale, "failed"),
        (counts.unusable, "unusable"),
        (counts.unavailable + counts.inconclusive, "undecided"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!(", {count} {what}"))
        .collect();
    let parts = parts.concat();
    let milliseconds = usize::try_from(elapsed.as_millis())
        .unwrap_or(usize::MAX)
        .max(1);
    let rate = counts.all().saturating_mul(1000) / milliseconds;
    format!(", {} passed{parts}, {rate} a second", counts.passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_counts_and_rate() {
        let counts = SuiteCounts {
            passed: 30,
            failed: 2,
            stale: 1,
            unavailable: 1,
            ..SuiteCounts::default()
        };
        assert_eq!(
            told(&counts, Duration::from_secs(2)),
            ", 30 passed, 3 failed, 1 undecided, 17 a second"
        );
        assert_eq!(
            told(&SuiteCounts::default(), Duration::ZERO),
            ", 0 passed, 0 a second"
        );
    }
}
