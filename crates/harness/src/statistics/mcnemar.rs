//! The exact `McNemar` test.

use std::f64::consts::LN_2;

use super::rounding::real;

/// The p-value of the exact two-sided `McNemar` test: the probability that two equally good recognizers differ at least
/// this much. The parameters are the numbers of utterances that only the one or only the other recognizer classifies
/// correctly.
pub fn mcnemar(only_one: u64, only_other: u64) -> f64 {
    let all = only_one + only_other;
    let fewer = only_one.min(only_other);
    let mut logarithm = -real(all) * LN_2;
    let mut sum = 0.0;
    for number in 0..=fewer {
        sum += logarithm.exp();
        logarithm += (real(all - number) / real(number + 1)).ln();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_match_known_probabilities() {
        // Two tails of the binomial distribution with p = 1/2.
        for (one, other, known) in [
            (0, 0, 1.0),
            (5, 5, 1.0),
            (0, 5, 0.0625),
            (1, 9, 0.021_484_375),
            (2, 12, 0.012_939_453_125),
            (0, 1, 1.0),
        ] {
            assert!(
                (mcnemar(one, other) - known).abs() < 1e-12,
                "{one} {other}: {}",
                mcnemar(one, other)
            );
            assert!((mcnemar(one, other) - mcnemar(other, one)).abs() < 1e-15);
        }
        assert!(
            (mcnemar(59, 16) - 6.114_156_57e-7).abs() < 1e-12,
            "{}",
            mcnemar(59, 16)
        );
        assert!(mcnemar(40_000, 41_000) < 0.001);
    }
}
