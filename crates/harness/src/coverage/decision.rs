//! Conditions with several parts: whether each part was shown to decide by itself (MC/DC).
//!
//! Unique-cause, with short circuit: two turns show a part where it came to different values in them, the condition came to
//! different values, and every other part came to the same, or was not looked at in one of the two, since the parts before
//! it had decided.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use fsmsim_core::engine::ConditionVector;

/// A condition with several parts, and what its parts came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionCount {
    /// Where its parts are written: line and column.
    pub parts: Vec<(u32, u32)>,
    /// What the parts came to, and the condition with them, with the turns: `TF-=F`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vectors: BTreeMap<String, u64>,
}

/// A vector as a report writes it: each part true, false or not looked at, then the condition.
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

impl DecisionCount {
    /// Of each part, the turns that are one of two that show it; none, where it was not shown.
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

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: Self) {
        for (vector, turns) in other.vectors {
            *self.vectors.entry(vector).or_default() += turns;
        }
    }
}

/// Whether two vectors show a part.
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

/// What a condition came to, and what its parts did.
fn halves(vector: &[char]) -> Option<(&[char], &[char])> {
    let middle = vector.iter().position(|letter| *letter == '=')?;
    Some((vector.get(middle..)?, vector.get(..middle)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a condition that these vectors show.
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
    fn a_part_is_shown_where_it_alone_changes_the_outcome() {
        // `a and b`: that b fails shows b; a is shown only once it fails.
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
        // `(a and b) or c`: where b fails, c must not be what decides.
        assert_eq!(shown(3, &["TT-=T", "TFT=T", "F-F=F"]), [true, false, false]);
        assert_eq!(
            shown(3, &["TT-=T", "TFF=F", "F-F=F", "F-T=T"]),
            [true, true, true]
        );
        // `not a` beside another: the outcome is what counts, not what the part came to.
        assert_eq!(shown(2, &["FT=T", "T-=F", "FF=F"]), [true, true]);
    }

    #[test]
    fn vectors_that_are_none_show_nothing() {
        assert_eq!(shown(2, &["", "TT", "T=T", "TT=T"]), [false, false]);
    }
}
