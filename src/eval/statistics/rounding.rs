//! Numbers as reports hold them.

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "utterances are fewer than a float can count")]
pub(in crate::eval) fn real(count: u64) -> f64 {
    count as f64
}

/// A number with the four decimals that a report has.
pub(in crate::eval) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
