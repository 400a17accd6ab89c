//! Formats the numbers of an evaluation.

use crate::limits::MAX_UTTERANCE_LENGTH;
use fsmsim_harness::eval::{
    LinkUsage, PairedComparison, PairedDifference, SlotScore, ThresholdOutcome, UtteranceReading,
    UtteranceResult,
};
use fsmsim_harness::statistics::{Interval, Proportion};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, shortened};

/// A proportion in percent.
pub(crate) fn per_cent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A proportion in percent, or a dash for `None`.
pub(crate) fn or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), per_cent)
}

/// A confidence interval.
pub(crate) fn between(low: f64, high: f64) -> String {
    format!("{} to {}", per_cent(low), per_cent(high))
}

/// A threshold with two to four decimals.
pub(crate) fn threshold(limit: f64) -> String {
    let exact = format!("{limit:.4}");
    match exact.strip_suffix("00") {
        Some(short) => short.to_owned(),
        None => exact.trim_end_matches('0').to_owned(),
    }
}

/// The thresholds of the flow: high, medium, minimum, gap.
pub(super) fn thresholds(found: &ThresholdOutcome) -> [String; 4] {
    [
        found.high_confidence,
        found.medium_confidence,
        found.min_confidence,
        found.gap_threshold,
    ]
    .map(threshold)
}

/// The counts of a slot: labeled, correct, partial, incorrect, missing, spurious.
pub(super) fn slot_counts(slot: &SlotScore) -> [u64; 6] {
    [
        slot.support,
        slot.correct,
        slot.partial,
        slot.incorrect,
        slot.missing,
        slot.spurious,
    ]
}

/// The incorrect intents that an utterance was classified as.
pub(super) fn other_labels(utterance: &UtteranceResult) -> Vec<&str> {
    utterance
        .readings
        .iter()
        .map(UtteranceReading::label)
        .filter(|label| *label != utterance.intent)
        .collect()
}

/// The example that caused an interpretation, such as `closest: "how much is it"`.
pub(super) fn closest(reading: &UtteranceReading) -> Option<String> {
    let example = shortened(reading.closest.as_deref()?, MAX_UTTERANCE_LENGTH);
    Some(format!("closest: \"{}\"", printable(&example)))
}

/// A count and its total, for example `3 of 5`.
pub(crate) fn of(found: &Proportion) -> String {
    format!("{} of {}", found.part, found.whole)
}

/// The difference between the first and the second, with its confidence interval.
pub(crate) fn apart(found: &PairedDifference) -> String {
    let PairedDifference {
        first,
        second,
        difference,
        interval: Interval { low, high },
    } = *found;
    format!(
        "{} and {}: {:+.1} points ({:+.1} to {:+.1})",
        per_cent(first),
        per_cent(second),
        difference * 100.0,
        low * 100.0,
        high * 100.0
    )
}

/// The result of a comparison, in one sentence.
pub(crate) fn verdict(compared: &PairedComparison) -> String {
    let Interval { low, high } = compared.accuracy.interval;
    let who = if low > 0.0 {
        format!("`{}` is better", compared.second)
    } else if high < 0.0 {
        format!("`{}` is better", compared.first)
    } else {
        "the difference is not statistically significant".to_owned()
    };
    format!("{who} (McNemar, exact: p = {:.4})", compared.p)
}

/// The usage of a provider, and its cost.
pub(crate) fn usage(used: &LinkUsage) -> String {
    let cached = match used.cached {
        0 => String::new(),
        cached => format!(" ({cached} cached)"),
    };
    let cost = used
        .cost
        .zip(used.currency.as_deref())
        .map(|(cost, currency)| format!(", {cost:.4} {currency}"))
        .unwrap_or_default();
    format!(
        "{}: {}, {} + {} tokens{cached}{cost}",
        used.link,
        plural(used.calls, "call"),
        used.asked,
        used.answered
    )
}
