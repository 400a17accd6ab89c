//! Values with dense numbers.

use std::hash::{BuildHasherDefault, Hash};

use indexmap::IndexSet;
use rustc_hash::FxHasher;

/// A set of values, numbered in the order of insertion.
#[derive(Debug)]
pub(crate) struct Interner<T>(IndexSet<T, BuildHasherDefault<FxHasher>>);

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self(IndexSet::default())
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of a value, if it is known.
    #[inline]
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        self.0.get_index_of(value).map(number)
    }

    /// The number of a value, which is added.
    pub(crate) fn number(&mut self, value: &T) -> u32 {
        match self.find(value) {
            Some(known) => known,
            None => number(self.0.insert_full(value.clone()).0),
        }
    }

    /// The value with a number.
    pub(crate) fn value(&self, number: u32) -> Option<&T> {
        self.0.get_index(number as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
