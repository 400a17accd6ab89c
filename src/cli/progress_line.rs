//! How far a run is, on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::context::in_ci;
use crate::scenario::SuiteCounts;

/// How often the line is drawn anew.
const TICK: Duration = Duration::from_millis(200);
/// What the line shows.
const LINE: &str = "{elapsed} {bar:24} {pos} of {len} files{msg}";

/// A line on standard error that shows how far a run is. There is none where nobody looks: where standard error is no
/// terminal, and in continuous integration.
pub(super) struct ProgressLine {
    bar: ProgressBar,
}

impl ProgressLine {
    /// A run over so many files.
    pub(super) fn new(files: usize) -> Self {
        let is_watched = std::io::stderr().is_terminal() && !in_ci();
        let target = if is_watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(files as u64), target);
        if is_watched {
            bar.set_style(ProgressStyle::with_template(LINE).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(TICK);
        }
        Self { bar }
    }

    /// Prints something, while the line is not there.
    pub(super) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// A file is done; these are the counts so far.
    pub(super) fn step(&self, counts: &SuiteCounts) {
        self.bar.inc(1);
        let failed = counts.failed + counts.stale;
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        self.bar.set_message(format!(", {} passed{failed}", counts.passed));
    }

    /// The run is over, and the line goes away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
