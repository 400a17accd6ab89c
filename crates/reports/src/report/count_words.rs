//! What the scenarios of a run came to, in words.

use std::fmt::Write as _;

use colored::{Color, ColoredString, Colorize};

use fsmsim_harness::scenario::SuiteCounts;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::Joined;

/// The scenarios in words, coloured where colours are shown.
pub(super) fn words(counts: &SuiteCounts) -> String {
    let coloured = |(words, colour): (String, Option<Color>)| {
        colour.map_or_else(
            || words.clone(),
            |colour| ColoredString::to_string(&words.as_str().color(colour)),
        )
    };
    parts(counts).into_iter().map(coloured).joined(", ")
}

/// The scenarios in words, for a file.
pub(super) fn plain_words(counts: &SuiteCounts) -> String {
    parts(counts)
        .into_iter()
        .map(|(words, _)| words)
        .joined(", ")
}

/// A part for each verdict that there is, and its colour.
fn parts(counts: &SuiteCounts) -> Vec<(String, Option<Color>)> {
    let mut failed = format!("{} failed", counts.failed);
    if counts.failed_with_model > 0 {
        let _ = write!(failed, " ({} with a model)", counts.failed_with_model);
    }
    let known = plural(counts.expected_failures, "expected failure");
    let part = |count: usize, what: &str, colour| (count, format!("{count} {what}"), Some(colour));
    let others = [
        (counts.failed, failed, Some(Color::Red)),
        part(counts.stale, "stale", Color::Red),
        (counts.expected_failures, known, Some(Color::Yellow)),
        part(counts.skipped, "skipped", Color::Yellow),
        part(counts.unusable, "unusable", Color::Red),
        part(counts.unavailable, "unavailable", Color::Yellow),
        part(counts.inconclusive, "inconclusive", Color::Yellow),
    ];
    let others = others
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(_, words, colour)| (words, colour));
    std::iter::once((format!("{} passed", counts.passed), None))
        .chain(others)
        .collect()
}
