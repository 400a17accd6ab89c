//! The two sides of a comparison.

use serde::Serialize;

/// One of two things that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiffSide {
    /// The first.
    A,
    /// The second.
    B,
}

impl DiffSide {
    pub(super) fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// Something of both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Sides<T> {
    /// The first side's.
    pub a: T,
    /// The second side's.
    pub b: T,
}

impl<T> Sides<T> {
    /// Something of each side; the first side's is made first.
    pub(super) fn each(mut of: impl FnMut(DiffSide) -> T) -> Self {
        Self {
            a: of(DiffSide::A),
            b: of(DiffSide::B),
        }
    }

    /// The same of each side's own.
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            a: of(self.a),
            b: of(self.b),
        }
    }

    /// Both, borrowed.
    pub fn as_ref(&self) -> Sides<&T> {
        Sides {
            a: &self.a,
            b: &self.b,
        }
    }

    /// One side's.
    pub fn of(&self, side: DiffSide) -> &T {
        match side {
            DiffSide::A => &self.a,
            DiffSide::B => &self.b,
        }
    }

    pub(super) fn of_mut(&mut self, side: DiffSide) -> &mut T {
        match side {
            DiffSide::A => &mut self.a,
            DiffSide::B => &mut self.b,
        }
    }
}

impl<T> Sides<Option<T>> {
    /// Both, where both are there.
    pub fn both(self) -> Option<Sides<T>> {
        Some(Sides {
            a: self.a?,
            b: self.b?,
        })
    }
}
