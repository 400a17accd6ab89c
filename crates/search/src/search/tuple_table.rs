//! A set of tuples with dense numbers, compressed as trees.

use super::pair_table::PairTable;

/// A set of tuples of equal width. Each tuple is the root of a binary tree of pairs, and equal subtrees are stored once:
/// the tuples (1, 2, 3, 4) and (1, 2, 3, 5) share the pair (1, 2). A tuple therefore takes little more than one pair.
#[derive(Debug, Default)]
pub(crate) struct TupleTable {
    width: usize,
    /// The operands of each node of the tree: numbers below `width` are parts of the tuple, the others nodes.
    plan: Vec<(usize, usize)>,
    tables: Vec<PairTable>,
}

impl TupleTable {
    /// Creates a set of tuples with this number of parts.
    pub(crate) fn new(width: usize) -> Self {
        let mut open: std::collections::VecDeque<usize> = (0..width).collect();
        let mut plan = Vec::new();
        while let (Some(left), Some(right)) = (open.pop_front(), open.pop_front()) {
            open.push_back(width + plan.len());
            plan.push((left, right));
        }
        let tables = plan.iter().map(|_| PairTable::default()).collect();
        Self {
            width,
            plan,
            tables,
        }
    }

    /// Adds a tuple. Returns its number, and whether it is new. `scratch` is the tuple, and is extended.
    pub(crate) fn insert(&mut self, scratch: &mut Vec<u32>) -> (u32, bool) {
        let mut last = (scratch.first().copied().unwrap_or(0), false);
        for ((left, right), table) in self.plan.iter().zip(&mut self.tables) {
            last = table.insert(pair(scratch, *left, *right));
            scratch.push(last.0);
        }
        last
    }

    /// The number of a tuple.
    pub(crate) fn find(&self, tuple: &[u32]) -> Option<u32> {
        let mut parts = tuple.to_vec();
        for ((left, right), table) in self.plan.iter().zip(&self.tables) {
            parts.push(table.find(pair(&parts, *left, *right))?);
        }
        parts.last().copied()
    }

    /// The tuple with a number.
    pub(crate) fn get(&self, number: u32) -> Vec<u32> {
        let mut parts = vec![0; self.width + self.plan.len()];
        if let Some(root) = parts.last_mut() {
            *root = number;
        }
        for (node, ((left, right), table)) in self.plan.iter().zip(&self.tables).enumerate().rev() {
            let number = parts.get(self.width + node).copied().unwrap_or(0);
            let key = table.key(number);
            #[expect(clippy::cast_possible_truncation, reason = "the halves of a pair")]
            for (part, value) in [(*left, (key >> 32) as u32), (*right, key as u32)] {
                if let Some(part) = parts.get_mut(part) {
                    *part = value;
                }
            }
        }
        parts.truncate(self.width);
        parts
    }

    /// The memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.tables.iter().map(PairTable::memory).sum()
    }
}

fn pair(parts: &[u32], left: usize, right: usize) -> u64 {
    let part = |at: usize| u64::from(parts.get(at).copied().unwrap_or(0));
    part(left) << 32 | part(right)
}

#[cfg(test)]
mod tests {
    use super::TupleTable;

    #[test]
    fn tuples_are_numbered_and_restored() {
        for width in 2..9_u32 {
            let mut table = TupleTable::new(width as usize);
            let tuple = |n: u32| (0..width).map(|at| n / (at + 1)).collect::<Vec<u32>>();
            for n in 0..500 {
                assert_eq!(table.insert(&mut tuple(n)), (n, true), "width {width}");
            }
            assert_eq!(table.insert(&mut tuple(77)), (77, false));
            assert_eq!(table.get(77), tuple(77));
        }
    }
}
