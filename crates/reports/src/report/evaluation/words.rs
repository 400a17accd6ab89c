//! Numbers of an evaluation as people read them.

use crate::report::plural::plural;
use fsmsim_harness::eval::{LinkUsage, PairedComparison, PairedDifference};
use fsmsim_harness::statistics::{Interval, Proportion};

/// A share in percent.
pub(in crate::report) fn per_cent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A share in percent, or a dash where there is none.
pub(in crate::report) fn or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), per_cent)
}

/// Where a share probably is.
pub(in crate::report) fn between(low: f64, high: f64) -> String {
    format!("{} to {}", per_cent(low), per_cent(high))
}

/// A threshold: with two decimals, or with as many more as it has.
pub(in crate::report) fn threshold(limit: f64) -> String {
    let exact = format!("{limit:.4}");
    match exact.strip_suffix("00") {
        Some(short) => short.to_owned(),
        None => exact.trim_end_matches('0').to_owned(),
    }
}

/// How many of how many.
pub(in crate::report) fn of(found: &Proportion) -> String {
    format!("{} of {}", found.part, found.whole)
}

/// A difference in points of percent.
pub(in crate::report) fn points(difference: f64) -> String {
    format!("{:+.1} points", difference * 100.0)
}

/// By how much the second is better, and where that probably is.
pub(in crate::report) fn apart(found: &PairedDifference) -> String {
    let PairedDifference {
        first,
        second,
        difference,
        interval: Interval { low, high },
    } = *found;
    format!(
        "{} and {}: {} ({:+.1} to {:+.1})",
        per_cent(first),
        per_cent(second),
        points(difference),
        low * 100.0,
        high * 100.0
    )
}

/// What a comparison comes to, in a sentence.
pub(in crate::report) fn verdict(compared: &PairedComparison) -> String {
    let Interval { low, high } = compared.accuracy.interval;
    let who = if low > 0.0 {
        format!("`{}` reads better", compared.second)
    } else if high < 0.0 {
        format!("`{}` reads better", compared.first)
    } else {
        "which one reads better cannot be told from these utterances".to_owned()
    };
    format!("{who} (McNemar, exact: p = {:.4})", compared.p)
}

/// What was used of a link, and what it cost.
pub(in crate::report) fn usage(used: &LinkUsage) -> String {
    let cached = if used.cached == 0 {
        String::new()
    } else {
        format!(" ({} still known)", used.cached)
    };
    let cost = used.cost.zip(used.currency.as_deref());
    let cost = cost
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
