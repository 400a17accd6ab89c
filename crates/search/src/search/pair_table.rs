//! A set of 64-bit keys with dense numbers.

/// The number of an empty entry of the index.
const EMPTY: u32 = u32::MAX;

/// A set of keys, numbered in the order of insertion: open addressing over the numbers, with exact comparison.
#[derive(Debug, Default)]
pub(crate) struct PairTable {
    keys: Vec<u64>,
    /// The numbers of the keys in the index; its length is a power of two.
    index: Vec<u32>,
    /// The first key in the index: earlier keys were forgotten.
    first: usize,
}

impl PairTable {
    /// Adds a key. Returns its number, and whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64) -> (u32, bool) {
        if (self.keys.len() - self.first) * 4 >= self.index.len() * 3 {
            self.grow();
        }
        let mut at = self.start(key);
        let mask = self.index.len() - 1;
        loop {
            match self.index.get_mut(at) {
                Some(entry) if *entry == EMPTY => {
                    let number = u32::try_from(self.keys.len()).unwrap_or(EMPTY - 1);
                    *entry = number;
                    // The default growth would double the memory of the largest table.
                    if self.keys.len() == self.keys.capacity() {
                        self.keys.reserve_exact((self.keys.len() / 4).max(64));
                    }
                    self.keys.push(key);
                    return (number, true);
                }
                Some(entry) if self.keys.get(*entry as usize) == Some(&key) => {
                    return (*entry, false);
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The number of a key.
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let mask = self.index.len().checked_sub(1)?;
        let mut at = self.start(key);
        loop {
            let entry = *self.index.get(at)?;
            if entry == EMPTY {
                return None;
            }
            if self.keys.get(entry as usize) == Some(&key) {
                return Some(entry);
            }
            at = (at + 1) & mask;
        }
    }

    /// The key with a number.
    #[inline]
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys.get(number as usize).copied().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Stops comparing with the keys so far, which keep their numbers.
    pub(crate) fn forget(&mut self) {
        self.first = self.keys.len();
        self.index.fill(EMPTY);
    }

    /// The memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.keys.capacity() * 8 + self.index.capacity() * 4
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "only the lowest bits are used"
    )]
    fn start(&self, key: u64) -> usize {
        // Neighboring keys differ in few bits, so the product is folded.
        let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93_u128;
        ((product as u64) ^ (product >> 64) as u64) as usize & (self.index.len() - 1)
    }

    #[cold]
    fn grow(&mut self) {
        let len = (self.index.len() * 2).max(16);
        self.index = Vec::new();
        self.index.resize(len, EMPTY);
        let known = self.keys.get(self.first..).unwrap_or_default();
        for (number, key) in (self.first..).zip(known) {
            let mut at = self.start(*key);
            while self.index.get(at).is_some_and(|entry| *entry != EMPTY) {
                at = (at + 1) & (len - 1);
            }
            if let Some(entry) = self.index.get_mut(at) {
                *entry = u32::try_from(number).unwrap_or(EMPTY - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairTable;

    #[test]
    fn keys_have_the_number_of_their_first_insertion() {
        let mut table = PairTable::default();
        for key in 0..10_000_u64 {
            assert_eq!(table.insert(key * 7), (u32::try_from(key).unwrap(), true));
        }
        assert_eq!(table.insert(70), (10, false));
        assert_eq!((table.find(70), table.find(71)), (Some(10), None));
    }

    #[test]
    fn forgotten_keys_keep_their_numbers() {
        let mut table = PairTable::default();
        table.insert(5);
        table.forget();
        assert_eq!(table.insert(5), (1, true));
        assert_eq!((table.key(0), table.len()), (5, 2));
    }
}
