//! Selects as few combinations as possible that cover every pair of values of two parameters.

use std::collections::BTreeSet;

/// Returns combinations that cover all pairs of values. `sizes` contains the number of values of each parameter. A
/// combination contains the index of a value for each parameter. The result is deterministic. It is `None` if more than
/// `most` combinations would be needed.
///
/// Adds the parameters one by one, those with the most values first. Extends each existing combination by the value
/// that covers the most new pairs. Then adds combinations for the pairs that are still missing. The result is not
/// always minimal, because the minimum is hard to find. Its size is near the product of the two longest lists: three
/// lists of ten values need about a hundred combinations instead of a thousand.
pub(super) fn pairwise(sizes: &[usize], most: usize) -> Option<Vec<Vec<usize>>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|parameter| std::cmp::Reverse(sizes.get(*parameter)));
    let size_of = |parameter: &usize| sizes.get(*parameter).copied().unwrap_or_default();
    let mut taken: Vec<usize> = Vec::new();
    let mut rows: Vec<Vec<Option<usize>>> = vec![vec![]];
    for parameter in order {
        let size = size_of(&parameter);
        let before: Vec<usize> = taken.iter().map(size_of).collect();
        let mut missing = MissingPairs::new(&before, size);
        for row in &mut rows {
            let value = (0..size)
                .max_by_key(|value| (missing.count(row, *value), std::cmp::Reverse(*value)))
                .filter(|value| before.is_empty() || missing.count(row, *value) > 0);
            if let Some(value) = value {
                missing.strike(row, value);
            }
            row.push(value);
        }
        missing.complete(&mut rows, most)?;
        taken.push(parameter);
    }
    (rows.len() <= most).then(|| {
        let place = |parameter: usize| taken.iter().position(|other| *other == parameter);
        let value =
            |row: &[Option<usize>], parameter: usize| row.get(place(parameter)?).copied().flatten();
        // Where any value is possible, use the first.
        let whole = |row: Vec<Option<usize>>| {
            (0..sizes.len())
                .map(|n| value(&row, n).unwrap_or(0))
                .collect()
        };
        let mut seen = BTreeSet::new();
        rows.into_iter()
            .map(whole)
            .filter(|row: &Vec<usize>| seen.insert(row.clone()))
            .collect()
    })
}

/// Pairs of values that are not covered yet. One value belongs to the newest parameter, the other to an earlier one.
struct MissingPairs {
    /// Indexed by the earlier parameter, its value, and the value of the newest parameter.
    missing: Vec<Vec<Vec<bool>>>,
    newest: usize,
}

impl MissingPairs {
    fn new(before: &[usize], newest: usize) -> Self {
        Self {
            missing: before
                .iter()
                .map(|size| vec![vec![true; newest]; *size])
                .collect(),
            newest,
        }
    }

    fn at(&mut self, earlier: usize, value: usize, new: usize) -> Option<&mut bool> {
        self.missing.get_mut(earlier)?.get_mut(value)?.get_mut(new)
    }

    /// The number of missing pairs that a combination would cover with this value of the newest parameter.
    fn count(&self, row: &[Option<usize>], new: usize) -> usize {
        let is_missing = |(pairs, value): (&Vec<Vec<bool>>, &Option<usize>)| {
            value
                .and_then(|value| pairs.get(value)?.get(new).copied())
                .unwrap_or(false)
        };
        self.missing
            .iter()
            .zip(row)
            .filter(|pair| is_missing(*pair))
            .count()
    }

    fn strike(&mut self, row: &[Option<usize>], new: usize) {
        for (earlier, value) in row.iter().enumerate() {
            if let Some(missing) = value.and_then(|value| self.at(earlier, value, new)) {
                *missing = false;
            }
        }
    }

    /// Adds all missing pairs, to combinations with free positions or in new combinations.
    fn complete(mut self, rows: &mut Vec<Vec<Option<usize>>>, most: usize) -> Option<()> {
        let length = self.missing.len();
        let newest = self.newest;
        // Only combinations with a free position can cover another pair.
        let mut open: Vec<usize> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.contains(&None))
            .map(|(n, _)| n)
            .collect();
        for earlier in 0..length {
            let values = self.missing.get(earlier).map_or(0, Vec::len);
            for (value, new) in
                (0..values).flat_map(|value| (0..newest).map(move |new| (value, new)))
            {
                if !self.at(earlier, value, new).is_some_and(|missing| *missing) {
                    continue;
                }
                let fits = |row: &Vec<Option<usize>>| {
                    let free = |place: usize, wanted: usize| {
                        row.get(place)
                            .is_some_and(|has| has.is_none_or(|has| has == wanted))
                    };
                    free(earlier, value) && free(length, new)
                };
                let number = open
                    .iter()
                    .copied()
                    .find(|number| rows.get(*number).is_some_and(fits));
                let number = match number {
                    Some(number) => number,
                    None if rows.len() >= most => return None,
                    None => {
                        rows.push(vec![None; length + 1]);
                        open.push(rows.len() - 1);
                        rows.len() - 1
                    }
                };
                let row = rows.get_mut(number)?;
                *row.get_mut(earlier)? = Some(value);
                *row.get_mut(length)? = Some(new);
                let row = row.clone();
                self.strike(row.get(..length)?, new);
            }
        }
        // The first parameter forms no pairs, so each of its values starts a combination.
        if length == 0 {
            rows.clear();
            rows.extend((0..newest).map(|new| vec![Some(new)]));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn product(sizes: &[usize]) -> usize {
        sizes.iter().product()
    }

    proptest! {
        #[test]
        fn every_pair_is_covered(sizes in proptest::collection::vec(1_usize..6, 1..8)) {
            let rows = pairwise(&sizes, usize::MAX).unwrap();
            for (a, b) in (0..sizes.len()).flat_map(|a| (a + 1..sizes.len()).map(move |b| (a, b))) {
                for (x, y) in (0..sizes[a]).flat_map(|x| (0..sizes[b]).map(move |y| (x, y))) {
                    prop_assert!(rows.iter().any(|row| row[a] == x && row[b] == y), "{a}={x} {b}={y} of {sizes:?}");
                }
            }
            prop_assert!(rows.len() <= product(&sizes).max(1));
            prop_assert!(rows.iter().all(|row| row.iter().zip(&sizes).all(|(value, size)| value < size)));
            prop_assert_eq!(&rows, &pairwise(&sizes, usize::MAX).unwrap());
        }
    }

    #[test]
    fn pairwise_returns_far_fewer_than_all_combinations() {
        let counts = [
            vec![2; 10],
            vec![3; 10],
            vec![4; 6],
            vec![10; 4],
            vec![5, 4, 3, 2],
        ];
        let counts =
            counts.map(|sizes| (product(&sizes), pairwise(&sizes, usize::MAX).unwrap().len()));
        assert!(
            counts.iter().all(|(all, few)| few * 5 <= *all),
            "{counts:?}"
        );
        assert!(pairwise(&[100, 100, 100], 9_999).is_none());
        assert_eq!(pairwise(&[3], usize::MAX).unwrap(), [[0], [1], [2]]);
        assert_eq!(pairwise(&[2, 2], usize::MAX).unwrap().len(), 4);
    }
}
