//! Sets of knowledge sources. The engine defines the sources; this module represents them as bits.

/// A set of knowledge sources, by their numbers in evaluation order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceMask(u32);

impl SourceMask {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Creates a set from its bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits of the set.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The intersection of both sets.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The difference: this set without the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The union of both sets.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
