//! What may be needed from outside, by its kind and its number in the turn.

use strum::IntoStaticStr;

use super::EffectId;

/// What may be needed from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NeedKind {
    /// Somebody reads what was said.
    Classify,
    /// An answer is held against what a state asks for.
    Assess,
    /// A model decides how an autonomous state goes on.
    Decide,
    /// Somebody does the work of a node of a cycle.
    Work,
    /// Whoever plays the assistant says something, and perhaps moves on.
    Navigate,
    /// Somebody finds the words for what is to be said.
    Phrase,
    /// The world does something, or refuses to.
    Effect(EffectId),
}

impl NeedKind {
    /// The kinds that every machine may need, and no world but a mind can answer.
    pub const JUDGEMENTS: [Self; 6] = [
        Self::Classify,
        Self::Assess,
        Self::Decide,
        Self::Work,
        Self::Navigate,
        Self::Phrase,
    ];

    /// The name, as records write it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The judgement of a name.
    pub fn judgement(name: &str) -> Option<Self> {
        Self::JUDGEMENTS
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Whether a name stands for what the world does, also one by which some effects were called before they were of one
    /// kind.
    pub fn is_of_world(name: &str) -> bool {
        name == Self::EFFECT || Self::OLD_EFFECTS.contains(&name)
    }

    /// Effects that once were needs of their own.
    const OLD_EFFECTS: [&'static str; 3] = ["read", "write", Self::EXECUTE];

    /// The effect that executes routes; what a turn calls its outcome is the answer to it.
    pub const EXECUTE: &'static str = "execute";

    /// The name of what the world does.
    pub const EFFECT: &'static str = "effect";
}

/// By what a need and its answer are known in their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeedKey {
    pub kind: NeedKind,
    /// The number among the needs of this kind in the turn, from 0.
    pub index: u32,
}

impl NeedKey {
    pub const fn first(kind: NeedKind) -> Self {
        Self { kind, index: 0 }
    }
}
