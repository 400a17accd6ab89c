//! The natural logarithm and the exponential function, with the same result on every machine. The functions of the
//! standard library call the system's, whose last digits differ.

use std::f64::consts::{LN_2, SQRT_2};

/// The natural logarithm of a positive, normal number.
pub(super) fn ln(number: f64) -> f64 {
    let bits = number.to_bits();
    let exponent = i32::try_from((bits >> 52) & 0x7ff).unwrap_or_default() - 1023;
    let mantissa = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    let (mantissa, exponent) = if mantissa > SQRT_2 {
        (mantissa / 2.0, exponent + 1)
    } else {
        (mantissa, exponent)
    };
    // ln m = 2 artanh((m - 1) / (m + 1)). The argument is at most 0.18, so 11 terms of the series are exact enough.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let mut sum = 0.0;
    for term in (0..=10).rev() {
        sum = sum * ratio * ratio + f64::from(2 * term + 1).recip();
    }
    2.0 * ratio * sum + f64::from(exponent) * LN_2
}

/// The exponential function of a number that is at most 0.
pub(super) fn exp(number: f64) -> f64 {
    if number < -600.0 {
        return 0.0;
    }
    // exp x = (exp (x / 1024)) ^ 1024. The argument is at least -0.6, so 13 terms of the series are exact enough.
    let part = number / 1024.0;
    let mut power = 1.0;
    for term in (1..=13).rev() {
        power = 1.0 + power * part / f64::from(term);
    }
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// A count as a number.
pub(super) fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_the_standard_library() {
        for step in 1..4000_u32 {
            let x = f64::from(step) / 7.0;
            assert!((ln(x) - x.ln()).abs() < 1e-12, "ln {x}");
            let expected = (-x).exp();
            assert!((exp(-x) - expected).abs() <= 1e-11 * expected, "exp -{x}");
        }
        assert!((exp(0.0) - 1.0).abs() < f64::EPSILON);
        assert!(exp(-1e9).abs() < f64::EPSILON);
    }
}
