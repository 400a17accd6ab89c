//! Sets of knowledge sources. Which sources there are is the engine's to say; here they are bits.

/// A set of knowledge sources, by their numbers in the order in which they are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceMask(u32);

impl SourceMask {
    /// No source.
    pub const NONE: Self = Self(0);

    /// The set of these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits of the set.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// What is in both sets.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// What is in either set.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
