//! Kernel ridge regression in closed form, with the errors of leaving out one example.

use super::features::SparseText;

/// The examples to learn from: their vectors, their classes, and the penalty of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Examples<'a> {
    pub vectors: &'a [SparseText],
    /// The number of features.
    pub features: usize,
    /// The class of each example.
    pub owners: &'a [usize],
    /// The number of classes.
    pub classes: usize,
    /// The higher the penalty, the smaller the influence of an example.
    pub penalties: &'a [f64],
}

/// The dual solution: the score of a class adds up the similarities to all examples times their coefficients.
#[derive(Clone, Debug, Default)]
pub(super) struct DualSolution {
    /// The coefficients of each example, one for each class.
    pub coefficients: Vec<Vec<f64>>,
    /// The diagonal of the inverse matrix. A coefficient divided by it is the error of the score without the example.
    pub diagonal: Vec<f64>,
}

/// The similarities of one example to itself and the later ones.
type UpperRow = Vec<f64>;

/// Solves for all classes with one factorization.
pub(super) fn solve(examples: Examples<'_>) -> DualSolution {
    let Examples {
        owners, classes, ..
    } = examples;
    let inverse = inverse_factor(matrix(examples));
    let count = inverse.len();
    let mut solution = DualSolution {
        coefficients: vec![vec![0.0; classes]; count],
        diagonal: vec![0.0; count],
    };
    // The inverse matrix is VᵀV, and the target is 1 for the class of the example and 0 for all others.
    let mut projected = vec![0.0; classes];
    for row in &inverse {
        projected.fill(0.0);
        for (value, owner) in row.iter().zip(owners) {
            if let Some(sum) = projected.get_mut(*owner) {
                *sum += value;
            }
        }
        let rows = solution.coefficients.iter_mut().zip(&mut solution.diagonal);
        for (value, (coefficients, diagonal)) in row.iter().zip(rows) {
            add(coefficients, *value, &projected);
            *diagonal += value * value;
        }
    }
    solution
}

/// The diagonal of the inverse matrix.
pub(super) fn inverse_diagonal(examples: Examples<'_>) -> Vec<f64> {
    let inverse = inverse_factor(matrix(examples));
    let mut diagonal = vec![0.0; inverse.len()];
    for row in &inverse {
        for (sum, value) in diagonal.iter_mut().zip(row) {
            *sum += value * value;
        }
    }
    diagonal
}

/// The similarities of all examples plus their penalties, without the part below the diagonal.
fn matrix(examples: Examples<'_>) -> Vec<UpperRow> {
    let Examples {
        vectors,
        features,
        penalties,
        ..
    } = examples;
    let mut postings: Vec<Vec<(usize, f32)>> = vec![Vec::new(); features];
    for (example, SparseText(values)) in vectors.iter().enumerate() {
        for (feature, value) in values {
            if let Some(posting) = postings.get_mut(*feature as usize) {
                posting.push((example, *value));
            }
        }
    }
    let rows = vectors.iter().zip(penalties).enumerate();
    rows.map(|(example, (SparseText(values), penalty))| {
        let mut row = vec![0.0; vectors.len() - example];
        for (feature, value) in values {
            let posting = postings.get(*feature as usize);
            for (other, factor) in posting.into_iter().flatten() {
                if let Some(cell) = other.checked_sub(example).and_then(|at| row.get_mut(at)) {
                    *cell += f64::from(*value) * f64::from(*factor);
                }
            }
        }
        if let Some(own) = row.first_mut() {
            *own += penalty;
        }
        row
    })
    .collect()
}

/// The inverse V of the lower Cholesky factor of a matrix. Each row ends with the diagonal.
///
/// All steps add a multiple of one row to another one. Such sums have no order that a compiler could change, so they
/// are vectorized, and the result is the same on every machine.
fn inverse_factor(mut rows: Vec<UpperRow>) -> Vec<Vec<f64>> {
    for at in 0..rows.len() {
        let (done, rest) = rows.split_at_mut(at);
        let Some(row) = rest.first_mut() else {
            continue;
        };
        for (number, above) in done.iter().enumerate() {
            let tail = above.get(at - number..).unwrap_or_default();
            let factor = tail.first().copied().unwrap_or_default();
            add(row, -factor, tail);
        }
        // Rounding errors of equal examples without a penalty could make the pivot negative.
        let pivot = row.first().copied().unwrap_or(1.0).max(1e-12).sqrt();
        for cell in row.iter_mut() {
            *cell /= pivot;
        }
    }
    let mut inverse: Vec<Vec<f64>> = Vec::with_capacity(rows.len());
    for at in 0..rows.len() {
        let mut row = vec![0.0; at + 1];
        if let Some(own) = row.last_mut() {
            *own = 1.0;
        }
        let factor = |number: usize| {
            let above: Option<&UpperRow> = rows.get(number);
            above.and_then(|row| row.get(at - number)).copied()
        };
        for (number, earlier) in inverse.iter().enumerate() {
            add(&mut row, -factor(number).unwrap_or_default(), earlier);
        }
        let pivot = factor(at).unwrap_or(1.0);
        for cell in &mut row {
            *cell /= pivot;
        }
        inverse.push(row);
    }
    inverse
}

/// Adds a multiple of a row to another row.
pub(super) fn add(row: &mut [f64], factor: f64, other: &[f64]) {
    if factor != 0.0 {
        for (cell, value) in row.iter_mut().zip(other) {
            *cell += factor * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Examples with dense vectors, and two classes.
    fn solved(vectors: &[Vec<u8>], penalties: &[f64]) -> DualSolution {
        let owners: Vec<usize> = (0..vectors.len()).map(|at| at % 2).collect();
        let vectors: Vec<SparseText> = vectors.iter().map(|vector| sparse(vector)).collect();
        solve(Examples {
            vectors: &vectors,
            features: 4,
            owners: &owners,
            classes: 2,
            penalties,
        })
    }

    fn sparse(vector: &[u8]) -> SparseText {
        let values = (0_u32..).zip(vector);
        SparseText(values.map(|(at, value)| (at, f32::from(*value))).collect())
    }

    fn similarity(one: &[u8], other: &[u8]) -> f64 {
        let pairs = one.iter().zip(other);
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }

    #[test]
    fn single_example_has_the_exact_solution() {
        // (1 + 0.5) a = 1
        let solution = solved(&[vec![1, 0, 0, 0]], &[0.5]);
        assert!((solution.coefficients[0][0] - 1.0 / 1.5).abs() < 1e-12);
        assert!(solution.coefficients[0][1].abs() < 1e-12);
        assert!((solution.diagonal[0] - 1.0 / 1.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn error_without_an_example_equals_that_of_refitting(
            vectors in prop::collection::vec(prop::collection::vec(0..4_u8, 4), 2..9),
            penalty in 1..20_u8,
        ) {
            let penalties: Vec<f64> = (0..vectors.len())
                .map(|at| f64::from(penalty) / if at % 3 == 0 { 2.0 } else { 5.0 })
                .collect();
            let solution = solved(&vectors, &penalties);
            // Leaving out the last example keeps the classes of the others.
            let last = vectors.len() - 1;
            let (others, left_out) = vectors.split_at(last);
            let without = solved(others, &penalties[..last]);
            for class in 0..2 {
                let target = if last % 2 == class { 1.0 } else { 0.0 };
                let closed = target - solution.coefficients[last][class] / solution.diagonal[last];
                let refitted: f64 = others
                    .iter()
                    .zip(&without.coefficients)
                    .map(|(other, row)| similarity(other, &left_out[0]) * row[class])
                    .sum();
                prop_assert!((closed - refitted).abs() < 1e-8, "{closed} {refitted}");
            }
        }
    }
}
