//! Calibration: turns scores into probabilities.

use super::portable::{exp, ln};

/// The temperatures to choose from. A higher limit would make models with one example per intent useless: without its
/// only example, no intent is recognized.
const TEMPERATURES: (f64, f64) = (0.03, 0.2);
/// The temperature if there are no examples to measure it.
const DEFAULT_TEMPERATURE: f64 = 0.1;
/// The number of times that the range of temperatures is reduced by a third.
const STEPS: u32 = 10;

/// Probabilities for scores. The lower the temperature, the more certain the highest score.
pub(super) fn probabilities(scores: &[f64], temperature: f64) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::MIN, f64::max);
    let mut shares: Vec<f64> = scores
        .iter()
        .map(|score| exp((score - highest) / temperature))
        .collect();
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// The temperature at which the labeled classes of examples are the most probable. Each example has its scores and its
/// class.
pub(super) fn temperature(examples: &[(Vec<f64>, usize)]) -> f64 {
    if examples.is_empty() {
        return DEFAULT_TEMPERATURE;
    }
    let loss = |temperature: f64| -> f64 {
        let surprise = |(scores, owner): &(Vec<f64>, usize)| {
            let share = probabilities(scores, temperature).get(*owner).copied();
            -ln(share.unwrap_or_default().max(1e-12))
        };
        examples.iter().map(surprise).sum()
    };
    // The loss has one minimum, so the third beyond the worse of two inner points cannot contain it.
    let (mut low, mut high) = TEMPERATURES;
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if loss(low + third) <= loss(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_to_one_and_keep_the_order() {
        let shares = probabilities(&[0.1, 0.5, -0.2], 0.1);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(shares[1] > 0.9 && shares[0] > shares[2]);
    }

    #[test]
    fn wrong_examples_raise_the_temperature() {
        let right = (vec![0.5, 0.3], 0);
        let wrong = (vec![0.5, 0.3], 1);
        let certain = temperature(&[right.clone(), right.clone(), right.clone()]);
        let doubtful = temperature(&[right.clone(), right, wrong]);
        assert!(certain < doubtful, "{certain} {doubtful}");
        assert!((temperature(&[]) - DEFAULT_TEMPERATURE).abs() < f64::EPSILON);
    }
}
