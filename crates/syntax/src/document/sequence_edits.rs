//! The edits between two sequences, for example of lines or words.

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, DiffTag};

/// The edits that turn `old` into `new`, in order, including the equal ranges.
pub fn sequence_edits<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let mut numbers = FxHashMap::default();
    let mut numbered = Vec::with_capacity(old.len() + new.len());
    for item in old.iter().chain(new) {
        let next = numbers.len();
        numbered.push(*numbers.entry(item).or_insert(next));
    }
    let (old, new) = numbered.split_at(old.len());
    edits_of_numbers(old, new)
}

/// The ranges in which two sequences differ, in order.
pub fn sequence_changes<T: Eq + Hash>(
    old: &[T],
    new: &[T],
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    sequence_edits(old, new)
        .into_iter()
        .filter(|edit| edit.tag() != DiffTag::Equal)
        .map(|edit| (edit.old_range(), edit.new_range()))
}

/// The algorithm is large, so it is compiled for one type only.
fn edits_of_numbers(old: &[usize], new: &[usize]) -> Vec<DiffOp> {
    let mut edits = Compact::new(Replace::new(Capture::new()), old, new);
    let ranges = (0..old.len(), 0..new.len());
    let Ok(()) = myers::diff(&mut edits, old, ranges.0, new, ranges.1);
    edits.into_inner().into_inner().into_ops()
}

#[cfg(test)]
mod tests {
    use super::{sequence_changes, sequence_edits};
    use similar::DiffOp;

    #[test]
    fn edits_keep_the_common_items() {
        let edits = sequence_edits(&["a", "b", "c"], &["a", "x", "c", "d"]);
        let equal = |old_index, new_index| DiffOp::Equal {
            old_index,
            new_index,
            len: 1,
        };
        assert_eq!(
            edits,
            [
                equal(0, 0),
                DiffOp::Replace {
                    old_index: 1,
                    old_len: 1,
                    new_index: 1,
                    new_len: 1
                },
                equal(2, 2),
                DiffOp::Insert {
                    old_index: 3,
                    new_index: 3,
                    new_len: 1
                }
            ]
        );
        let changes: Vec<_> = sequence_changes(&["a", "b"], &["a", "x", "y"]).collect();
        assert_eq!(changes, [(1..2, 1..3)]);
    }
}
