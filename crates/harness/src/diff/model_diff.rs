//! Two models over the same scenarios.

use super::candidate::Candidate;
use super::difference_kind::DifferenceKind;
use super::sides::Sides;
use super::state_renames::StateRenames;
use crate::scenario::Runner;

/// Two models over the same scenarios, and how they are compared.
pub struct ModelDiff<'r> {
    /// What plays scenarios.
    pub runner: &'r Runner<'r>,
    pub candidates: Sides<Candidate>,
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
    /// States that have another name in the second model.
    pub renames: &'r StateRenames,
}
