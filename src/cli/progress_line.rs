//! The progress of a run on a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::in_ci;
use fsmsim_harness::scenario::SuiteCounts;

/// The interval between updates.
const TICK: Duration = Duration::from_millis(200);
/// The template of the line.
const LINE: &str = "{elapsed} {bar:24} {pos} of {len} {prefix}{msg}, {eta} left";

/// A progress line on standard error. It is hidden if standard error is not a terminal, and in continuous integration.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    began: Instant,
}

impl ProgressLine {
    /// The progress of a run over `count` items.
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

    /// The progress of work whose extent is unknown.
    pub(super) fn endless() -> Self {
        let line = Self::over(0, "");
        if !line.bar.is_hidden() {
            let style = ProgressStyle::with_template("{elapsed} {msg}");
            line.bar
                .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        line
    }

    /// Shows the state of the work.
    pub(super) fn say(&self, text: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text.to_owned());
        }
    }

    /// Hides the line while something is printed.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Counts a finished file, and shows the counts so far.
    pub(super) fn step(&self, counts: &SuiteCounts) {
        self.bar.inc(1);
        self.bar
            .set_message(counts_and_rate(counts, self.began.elapsed()));
    }

    /// Counts a finished item.
    pub(super) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Removes the line after the run.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The counts, and the scenarios per second.
fn counts_and_rate(counts: &SuiteCounts, elapsed: Duration) -> String {
    let parts = [
        (counts.failed + counts.unexpected_passes, "failed"),
        (counts.invalid, "invalid"),
        (counts.unavailable + counts.inconclusive, "undecided"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!(", {count} {what}"))
        .collect();
    let parts = parts.concat();
    let milliseconds = usize::try_from(elapsed.as_millis())
        .unwrap_or(usize::MAX)
        .max(1);
    let rate = counts.all().saturating_mul(1000) / milliseconds;
    format!(", {} passed{parts}, {rate} per second", counts.passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_line_shows_counts_and_rate() {
        let counts = SuiteCounts {
            passed: 30,
            failed: 2,
            unexpected_passes: 1,
            unavailable: 1,
            ..SuiteCounts::default()
        };
        assert_eq!(
            counts_and_rate(&counts, Duration::from_secs(2)),
            ", 30 passed, 3 failed, 1 undecided, 17 per second"
        );
        assert_eq!(
            counts_and_rate(&SuiteCounts::default(), Duration::ZERO),
            ", 0 passed, 0 per second"
        );
    }
}
