//! The numbers of scenarios by verdict, as text.

use std::fmt::Write as _;

use colored::{Color, ColoredString, Colorize};

use fsmsim_harness::scenario::SuiteCounts;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::Joined;

/// The numbers by verdict, colored if colors are enabled.
pub(super) fn words(counts: &SuiteCounts) -> String {
    let colored = |(words, color): (String, Option<Color>)| {
        color.map_or_else(
            || words.clone(),
            |color| ColoredString::to_string(&words.as_str().color(color)),
        )
    };
    parts(counts).into_iter().map(colored).joined(", ")
}

/// The numbers by verdict, for a file.
pub(super) fn plain_words(counts: &SuiteCounts) -> String {
    parts(counts)
        .into_iter()
        .map(|(words, _)| words)
        .joined(", ")
}

/// One part per verdict that occurs, with its color.
fn parts(counts: &SuiteCounts) -> Vec<(String, Option<Color>)> {
    let mut failed = format!("{} failed", counts.failed);
    if counts.failed_with_model > 0 {
        let _ = write!(failed, " ({} with a model)", counts.failed_with_model);
    }
    let known = plural(counts.expected_failures, "expected failure");
    let passes = match counts.unexpected_passes {
        1 => "1 unexpected pass".to_owned(),
        more => format!("{more} unexpected passes"),
    };
    let part = |count: usize, what: &str, color| (count, format!("{count} {what}"), Some(color));
    let others = [
        (counts.failed, failed, Some(Color::Red)),
        (counts.unexpected_passes, passes, Some(Color::Red)),
        (counts.expected_failures, known, Some(Color::Yellow)),
        part(counts.skipped, "skipped", Color::Yellow),
        part(counts.invalid, "invalid", Color::Red),
        part(counts.unavailable, "unavailable", Color::Yellow),
        part(counts.inconclusive, "inconclusive", Color::Yellow),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(_, words, color)| (words, color));
    [(format!("{} passed", counts.passed), None)]
        .into_iter()
        .chain(others)
        .collect()
}
