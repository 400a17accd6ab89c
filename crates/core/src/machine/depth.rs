//! How much of the frames is carried over.

use super::frame::FramePart;

/// How much is carried over: which parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u8);

impl Depth {
    /// All depths with their names, the deepest first.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self(0b111), "full"),
        (Self(0b001), "root_only"),
        (Self(0b010), "object_only"),
        (Self(0b100), "meta_only"),
        (Self(0), "none"),
    ];
    /// All parts.
    pub const FULL: Self = Self(0b111);
    /// No part.
    pub const NONE: Self = Self(0);

    /// Whether a part is carried over.
    pub fn has(self, part: FramePart) -> bool {
        bit(part).is_none_or(|bit| self.0 & bit != 0)
    }

    /// What is carried over by both.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The same with one more part.
    pub fn with(self, part: FramePart) -> Self {
        Self(self.0 | bit(part).unwrap_or(0))
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|(_, known)| *known == name)
            .map(|(depth, _)| depth)
    }

    /// The name: of the only part, `none`, and `full` where there are several.
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(depth, _)| *depth == self)
            .map_or("full", |(_, name)| name)
    }
}

fn bit(part: FramePart) -> Option<u8> {
    match part {
        FramePart::Root => Some(0b001),
        FramePart::Object => Some(0b010),
        FramePart::Meta => Some(0b100),
        FramePart::None => None,
    }
}
