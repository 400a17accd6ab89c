//! Dual coordinate descent: the solution of kernel ridge regression for many examples, without their matrix.

use super::features::SparseText;
use super::kernel_ridge::{DualSolution, Examples, inverse_diagonal};

/// The number of classes that are solved at the same time, so that processors can use vector instructions.
const LANES: usize = 16;
/// The maximum number of iterations.
const MAX_PASSES: usize = 30;
/// An iteration that changes no coefficient by more than this is the last one.
const MIN_CHANGE: f64 = 0.005;
/// The maximum number of examples whose similarities the diagonal considers.
const MAX_BLOCK: usize = 256;

/// Solves one class after another, example by example in their order. The diagonal considers only examples of the same
/// class, because the most similar ones are among them.
pub(super) fn solve(examples: Examples<'_>) -> DualSolution {
    let count = examples.vectors.len();
    let mut coefficients = vec![Vec::with_capacity(examples.classes); count];
    for first in (0..examples.classes).step_by(LANES) {
        let lanes = LANES.min(examples.classes - first);
        for (all, part) in coefficients.iter_mut().zip(solve_lanes(examples, first)) {
            all.extend(part.iter().take(lanes));
        }
    }
    DualSolution {
        coefficients,
        diagonal: diagonal(examples),
    }
}

/// Solves the classes from `first` on.
fn solve_lanes(examples: Examples<'_>, first: usize) -> Vec<[f64; LANES]> {
    let Examples {
        vectors,
        features,
        owners,
        penalties,
        ..
    } = examples;
    let mut weights = vec![[0.0; LANES]; features];
    let mut coefficients = vec![[0.0; LANES]; vectors.len()];
    let lengths: Vec<f64> = vectors.iter().map(square).collect();
    for _ in 0..MAX_PASSES {
        let mut largest = 0.0_f64;
        let items = vectors.iter().zip(owners).zip(penalties).zip(&lengths);
        for ((((vector, owner), penalty), length), own) in items.zip(&mut coefficients) {
            let mut step = [0.0; LANES];
            if let Some(target) = owner.checked_sub(first).and_then(|lane| step.get_mut(lane)) {
                *target = 1.0;
            }
            for (feature, value) in &vector.0 {
                if let Some(row) = weights.get(*feature as usize) {
                    for (cell, weight) in step.iter_mut().zip(row) {
                        *cell -= f64::from(*value) * weight;
                    }
                }
            }
            for (cell, coefficient) in step.iter_mut().zip(own.iter_mut()) {
                *cell = (*cell - penalty * *coefficient) / (length + penalty);
                *coefficient += *cell;
                largest = largest.max(cell.abs());
            }
            for (feature, value) in &vector.0 {
                if let Some(row) = weights.get_mut(*feature as usize) {
                    for (cell, weight) in step.iter().zip(row) {
                        *weight += f64::from(*value) * cell;
                    }
                }
            }
        }
        if largest < MIN_CHANGE {
            break;
        }
    }
    coefficients
}

fn square(SparseText(values): &SparseText) -> f64 {
    let squares = values.iter().map(|(_, value)| f64::from(*value));
    squares.map(|value| value * value).sum()
}

/// The diagonal of the inverse matrix, computed from examples of the same class only.
fn diagonal(examples: Examples<'_>) -> Vec<f64> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); examples.classes];
    for (example, owner) in examples.owners.iter().enumerate() {
        if let Some(members) = members.get_mut(*owner) {
            members.push(example);
        }
    }
    let mut diagonal = vec![1.0; examples.vectors.len()];
    for block in members.iter().flat_map(|members| members.chunks(MAX_BLOCK)) {
        let vectors: Vec<SparseText> = block
            .iter()
            .filter_map(|at| examples.vectors.get(*at).cloned())
            .collect();
        let penalties: Vec<f64> = block
            .iter()
            .filter_map(|at| examples.penalties.get(*at).copied())
            .collect();
        let part = inverse_diagonal(Examples {
            vectors: &vectors,
            penalties: &penalties,
            ..examples
        });
        for (at, value) in block.iter().zip(part) {
            if let Some(cell) = diagonal.get_mut(*at) {
                *cell = value;
            }
        }
    }
    diagonal
}

#[cfg(test)]
mod tests {
    use super::super::kernel_ridge;
    use super::*;

    #[test]
    fn descent_approaches_the_closed_form() {
        let vectors: Vec<SparseText> = (0..60_u32)
            .map(|at| SparseText(vec![(at % 7, 0.8), (7 + at % 11, 0.6)]))
            .collect();
        let owners: Vec<usize> = (0..60).map(|at| at % 20).collect();
        let penalties = vec![0.5; 60];
        let examples = Examples {
            vectors: &vectors,
            features: 18,
            owners: &owners,
            classes: 20,
            penalties: &penalties,
        };
        let (exact, found) = (kernel_ridge::solve(examples), solve(examples));
        for (one, other) in exact.coefficients.iter().zip(&found.coefficients) {
            assert_eq!(one.len(), other.len());
            for (exact, found) in one.iter().zip(other) {
                assert!((exact - found).abs() < 0.05, "{exact} {found}");
            }
        }
    }
}
