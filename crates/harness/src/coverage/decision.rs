//! Multi-part conditions: whether each part is shown to decide the result independently (MC/DC).
//!
//! Unique-cause MC/DC with short circuit. Two turns cover a part if both the part and the condition have different
//! values in them. Every other part must have the same value in both, or be skipped in one of them by the short
//! circuit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage_item::ItemKey;
use super::coverage_kind::CoverageKind;
use fsmsim_core::engine::ConditionVector;

/// A multi-part condition, and the values of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionCount {
    /// The locations of its parts: line and column.
    pub parts: Vec<(u32, u32)>,
    /// The vectors of values, with the number of turns. In `TF-=F`, the values of the parts come first, then the value
    /// of the condition.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vectors: BTreeMap<String, u64>,
}

/// A vector as reports show it: each part true, false or not evaluated, then the condition.
pub(super) fn vector_text(vector: ConditionVector, parts: usize) -> String {
    let part = |number: usize| match 1_u16.checked_shl(u32::try_from(number).unwrap_or(u32::MAX)) {
        Some(bit) if vector.held & bit != 0 => 'T',
        Some(bit) if vector.failed & bit != 0 => 'F',
        _ => '-',
    };
    (0..parts)
        .map(part)
        .chain(['=', if vector.outcome { 'T' } else { 'F' }])
        .collect()
}

/// The name of a part of a condition.
pub(super) fn part_name(condition: &str, number: usize) -> String {
    format!("{condition} part {}", number + 1)
}

impl DecisionCount {
    /// The items of the parts of the condition with this key.
    pub(crate) fn part_keys<'d>(
        &'d self,
        condition: &'d ItemKey,
    ) -> impl Iterator<Item = ItemKey> + 'd {
        let numbered = self.parts.iter().enumerate();
        numbered.map(|(number, (line, column))| ItemKey {
            kind: CoverageKind::Mcdc,
            file: condition.file.clone(),
            line: *line,
            column: *column,
            name: part_name(&condition.name, number),
        })
    }

    /// For each part, the number of turns in pairs that cover the part; 0 if it is not covered.
    pub fn shown(&self) -> Vec<u64> {
        let vectors: Vec<(Vec<char>, u64)> = self
            .vectors
            .iter()
            .map(|(text, turns)| (text.chars().collect(), *turns))
            .collect();
        (0..self.parts.len())
            .map(|part| {
                let shows = |a: &[char]| vectors.iter().any(|(b, _)| is_pair(a, b, part));
                vectors
                    .iter()
                    .filter(|(a, _)| shows(a))
                    .map(|(_, turns)| turns)
                    .sum()
            })
            .collect()
    }

    /// Adds other counts for the same condition.
    pub fn merge(&mut self, other: Self) {
        for (vector, turns) in other.vectors {
            *self.vectors.entry(vector).or_default() += turns;
        }
    }
}

/// Whether two vectors, as reports show them, together cover a part.
pub(crate) fn are_pair(one: &str, other: &str, part: usize) -> bool {
    let [one, other] = [one, other].map(|text| text.chars().collect::<Vec<char>>());
    is_pair(&one, &other, part)
}

/// Whether two vectors together cover a part.
fn is_pair(a: &[char], b: &[char], part: usize) -> bool {
    let differs = |a: char, b: char| a != b && a != '-' && b != '-';
    let (Some(([.., a_came], a_parts)), Some(([.., b_came], b_parts))) = (halves(a), halves(b))
    else {
        return false;
    };
    let alike = |(at, (a, b)): (usize, (&char, &char))| differs(*a, *b) == (at == part);
    a_came != b_came
        && a_parts.len() == b_parts.len()
        && a_parts.iter().zip(b_parts).enumerate().all(alike)
}

/// The value of a condition, and the values of its parts.
fn halves(vector: &[char]) -> Option<(&[char], &[char])> {
    let middle = vector.iter().position(|symbol| *symbol == '=')?;
    Some((vector.get(middle..)?, vector.get(..middle)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a condition that these vectors cover.
    fn shown(parts: usize, vectors: &[&str]) -> Vec<bool> {
        let vectors = vectors
            .iter()
            .map(|vector| ((*vector).to_owned(), 1))
            .collect();
        let decision = DecisionCount {
            parts: vec![(1, 1); parts],
            vectors,
        };
        decision
            .shown()
            .into_iter()
            .map(|turns| turns > 0)
            .collect()
    }

    #[test]
    fn part_is_covered_if_it_alone_changes_the_outcome() {
        // `a and b`: if b fails, b is covered. a is covered only if it fails as well.
        assert_eq!(shown(2, &["TT=T", "TF=F"]), [false, true]);
        assert_eq!(shown(2, &["TT=T", "TF=F", "F-=F"]), [true, true]);
        assert_eq!(shown(2, &["TF=F", "F-=F"]), [false, false]);
        // `a or b`.
        assert_eq!(shown(2, &["T-=T", "FF=F"]), [true, false]);
        assert_eq!(shown(2, &["T-=T", "FT=T", "FF=F"]), [true, true]);
        // `a and (b or c)`.
        assert_eq!(shown(3, &["TT-=T", "F--=F"]), [true, false, false]);
        assert_eq!(shown(3, &["TT-=T", "TFF=F"]), [false, true, false]);
        assert_eq!(shown(3, &["TFT=T", "TFF=F"]), [false, false, true]);
        assert_eq!(
            shown(3, &["TT-=T", "TFT=T", "TFF=F", "F--=F"]),
            [true, true, true]
        );
        // `(a and b) or c`: b is not covered while c makes up for its failure.
        assert_eq!(shown(3, &["TT-=T", "TFT=T", "F-F=F"]), [true, false, false]);
        assert_eq!(
            shown(3, &["TT-=T", "TFF=F", "F-F=F", "F-T=T"]),
            [true, true, true]
        );
        // `not a and b`: the value of the whole condition counts, not that of the part.
        assert_eq!(shown(2, &["FT=T", "T-=F", "FF=F"]), [true, true]);
    }

    #[test]
    fn malformed_vectors_cover_nothing() {
        assert_eq!(shown(2, &["", "TT", "T=T", "TT=T"]), [false, false]);
    }
}
