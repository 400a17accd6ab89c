//! What may be needed from outside, by its kind and its number in the turn.

use super::id::EffectId;

/// What may be needed from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedKind {
    /// Somebody reads what was said.
    Classify,
    /// A model decides how an autonomous state goes on.
    Decide,
    /// Whoever plays the assistant says something, and perhaps moves on.
    Navigate,
    /// Somebody finds the words for what is to be said.
    Phrase,
    /// The world does something, or refuses to.
    Effect(EffectId),
}

impl NeedKind {
    /// The kinds that every machine may need, and no world but a mind can answer.
    pub const JUDGEMENTS: [Self; 4] = [Self::Classify, Self::Decide, Self::Navigate, Self::Phrase];

    /// The name, as records write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Decide => "decide",
            Self::Navigate => "navigate",
            Self::Phrase => "phrase",
            Self::Effect(_) => Self::EFFECT,
        }
    }

    /// The name of what the world does.
    pub const EFFECT: &'static str = "effect";
}

/// By what a need and its answer are known in their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeedKey {
    /// The kind.
    pub kind: NeedKind,
    /// The number among the needs of this kind in the turn, from 0.
    pub index: u32,
}

impl NeedKey {
    /// The first need of a kind.
    pub const fn first(kind: NeedKind) -> Self {
        Self { kind, index: 0 }
    }
}
