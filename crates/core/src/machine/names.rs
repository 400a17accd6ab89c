//! The names of the IDs.

use std::marker::PhantomData;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::Id;

/// The names of one kind of item; the index of a name is the item's ID.
#[derive(Clone, Debug)]
pub struct Names<I> {
    set: IndexSet<Box<str>, FxBuildHasher>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I> Default for Names<I> {
    fn default() -> Self {
        Self {
            set: IndexSet::default(),
            ids: PhantomData,
        }
    }
}

impl<I: Id> Names<I> {
    /// The ID of `name`, created if the name is new.
    pub(super) fn mint(&mut self, name: &str) -> I {
        let index = match self.set.get_index_of(name) {
            Some(index) => index,
            None => self.set.insert_full(name.into()).0,
        };
        I::from_index(index)
    }

    /// The ID of a known name.
    pub fn id(&self, name: &str) -> Option<I> {
        self.set.get_index_of(name).map(I::from_index)
    }

    /// The name of an ID; empty if the ID is unknown.
    pub fn name(&self, id: I) -> &str {
        self.set.get_index(id.index()).map_or("", |name| name)
    }

    /// The names in the order of their IDs.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.set.iter().map(|name| &**name)
    }

    /// All IDs, in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I> {
        (0..self.set.len()).map(I::from_index)
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}
