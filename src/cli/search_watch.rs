//! The progress and the end of a search.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::progress_line::ProgressLine;
use fsmsim_search::search::{SearchBound, SearchProgress};
use fsmsim_syntax::diagnostic::plural;

/// A flag that Ctrl-C sets. The first Ctrl-C ends the run and reports the results so far.
pub(super) fn stop_flag() -> &'static AtomicBool {
    static STOPPED: AtomicBool = AtomicBool::new(false);
    static WATCHED: OnceLock<()> = OnceLock::new();
    WATCHED.get_or_init(|| {
        // If no handler can be set, Ctrl-C ends the program immediately.
        let _ = ctrlc::set_handler(|| {
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &STOPPED
}

/// Runs a search with a progress line. The search ends after a number of seconds, or when the user cancels it.
pub(super) fn watched<T>(
    seconds: Option<f64>,
    began: Instant,
    search: impl FnOnce(&mut dyn FnMut(&SearchProgress) -> Option<SearchBound>) -> T,
) -> T {
    let line = ProgressLine::endless();
    let stopped = stop_flag();
    let latest = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let result = search(&mut |progress: &SearchProgress| {
        line.say(&progress_text(progress, began.elapsed()));
        if stopped.load(Ordering::Relaxed) {
            return Some(SearchBound::Canceled);
        }
        latest
            .filter(|latest| began.elapsed() >= *latest)
            .map(|_| SearchBound::Time)
    });
    line.finish();
    result
}

fn progress_text(progress: &SearchProgress, elapsed: Duration) -> String {
    let milliseconds = usize::try_from(elapsed.as_millis())
        .unwrap_or(usize::MAX)
        .max(1);
    let rate = progress.states.saturating_mul(1000) / milliseconds;
    format!(
        "{}, {} open, {rate} per second, depth {}, {} MiB",
        plural(progress.states, "state"),
        progress.frontier,
        progress.depth,
        progress.memory >> 20,
    )
}
