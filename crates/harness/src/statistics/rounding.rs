//! Numbers for reports.

/// A count as a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts here are less than a float can hold"
)]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}

/// Rounds a number to four decimals, as reports show it.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
