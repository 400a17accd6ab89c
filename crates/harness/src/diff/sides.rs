//! The two sides of a comparison.

use serde::Serialize;

/// One of the two sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiffSide {
    A,
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

/// A pair with one value for each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Sides<T> {
    pub a: T,
    pub b: T,
}

impl<T> Sides<T> {
    /// Calls a function for each side, the first side first, and collects the results.
    pub(super) fn each(mut of: impl FnMut(DiffSide) -> T) -> Self {
        Self {
            a: of(DiffSide::A),
            b: of(DiffSide::B),
        }
    }

    /// Applies a function to the value of each side.
    pub fn map<U>(self, mut of: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            a: of(self.a),
            b: of(self.b),
        }
    }

    pub fn as_ref(&self) -> Sides<&T> {
        Sides {
            a: &self.a,
            b: &self.b,
        }
    }

    /// The value of one side.
    pub fn of(&self, side: DiffSide) -> &T {
        match side {
            DiffSide::A => &self.a,
            DiffSide::B => &self.b,
        }
    }

    pub(super) fn side_mut(&mut self, side: DiffSide) -> &mut T {
        match side {
            DiffSide::A => &mut self.a,
            DiffSide::B => &mut self.b,
        }
    }
}

impl<T> Sides<Option<T>> {
    /// Both values, if both exist.
    pub fn both(self) -> Option<Sides<T>> {
        Some(Sides {
            a: self.a?,
            b: self.b?,
        })
    }
}
