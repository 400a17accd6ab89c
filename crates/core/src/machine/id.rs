//! Dense IDs and the table type that they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index, starting at 0, for one kind of item. The builder of the machine creates all IDs.
pub trait Id: Copy + Eq {
    /// The ID with this index.
    fn from_index(index: usize) -> Self;
    /// The index.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A state of the machine, or an undefined name that a transition targets.
    StateId;
    /// A phase.
    PhaseId;
    /// An intent.
    IntentId;
    /// A category of intents.
    CategoryId;
    /// A slot: a piece of collected data.
    SlotId;
    /// An action.
    ActionId;
    /// A feature flag.
    FlagId;
    /// A named condition.
    NamedConditionId;
    /// A node of a condition's expression.
    ConditionId;
    /// A written rule: one alternative for one intent in one state.
    RuleId;
    /// A list of alternatives for one intent in one state.
    ChainId;
    /// An entry of the priority table.
    PriorityId;
    /// A branch of a fork, or a region of a parallel state.
    BranchId;
    /// A frame.
    FrameId;
    /// A class of transitions.
    ClassId;
    /// A counter of the session.
    CounterId;
    /// A JSON Schema of data that effects send or return.
    SchemaId;
    /// A limit of the dialogue.
    LimitId;
    /// A kind of effect.
    EffectId;
    /// An outcome of an effect.
    OutcomeId;
    /// The mixin and the parent that a rule comes from.
    OriginId;
}

/// A table with one entry per ID. An ID created by the owner of the table is always in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// A table of `len` clones of `value`.
    pub fn filled(len: usize, value: T) -> Self
    where
        T: Clone,
    {
        Self {
            items: vec![value; len],
            ids: PhantomData,
        }
    }

    /// Adds an entry and returns its ID.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The entry of `id`, if it is in the table.
    #[inline]
    pub fn lookup(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The mutable entry of `id`, if it is in the table.
    #[inline]
    pub fn lookup_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// The mutable entry of `id`; default entries are added until the table contains it.
    pub fn grow(&mut self, id: I) -> &mut T
    where
        T: Default,
    {
        if id.index() >= self.items.len() {
            self.items.resize_with(id.index() + 1, T::default);
        }
        &mut self[id]
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entries in the order of their IDs.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The mutable entries, in the order of their IDs.
    pub fn entries_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The IDs with their entries.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (I::from_index(index), item))
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Sets every entry to `value`.
    pub fn fill(&mut self, value: T)
    where
        T: Clone,
    {
        self.items.fill(value);
    }

    /// Removes the entries from index `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// Copies `other` into this table and reuses the memory of the table.
    pub fn copy_from(&mut self, other: &Self)
    where
        T: Clone,
    {
        self.items.clone_from(&other.items);
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    #[expect(
        clippy::indexing_slicing,
        reason = "the only place: the owner of the table creates all IDs"
    )]
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[expect(
        clippy::indexing_slicing,
        reason = "the only place: the owner of the table creates all IDs"
    )]
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
