//! Needs: the answers that a turn can require from outside, identified by kind and index.

use strum::IntoStaticStr;

use super::EffectId;

/// The kind of an answer from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NeedKind {
    /// Recognize the intent of an utterance.
    Classify,
    /// Assess an answer against the criteria of a state.
    Assess,
    /// Decide how an autonomous state continues.
    Decide,
    /// Perform the task of an agent-cycle node.
    Work,
    /// Generate a reply of the assistant, optionally with a transition.
    Navigate,
    /// Generate the wording of a message.
    Phrase,
    /// Perform an effect, or refuse it.
    Effect(EffectId),
}

impl NeedKind {
    /// The kinds of needs that any machine can have and that require a model.
    pub const JUDGEMENTS: [Self; 6] = [
        Self::Classify,
        Self::Assess,
        Self::Decide,
        Self::Work,
        Self::Navigate,
        Self::Phrase,
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind of judgment with this name.
    pub fn judgment(name: &str) -> Option<Self> {
        Self::JUDGEMENTS
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Whether a name is the name of an effect, including names from when some effects were separate needs.
    pub fn is_of_world(name: &str) -> bool {
        name == Self::EFFECT || Self::OLD_EFFECTS.contains(&name)
    }

    /// Former names of needs that are effects now.
    const OLD_EFFECTS: [&'static str; 3] = ["read", "write", Self::EXECUTE];

    /// The effect that executes routes; its answer is the `outcome` of a turn.
    pub const EXECUTE: &'static str = "execute";

    /// The name of the kind [`Effect`](Self::Effect).
    pub const EFFECT: &'static str = "effect";
}

/// The key that identifies a need and its answer in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeedKey {
    pub kind: NeedKind,
    /// The index among the needs of this kind in the turn, starting at 0.
    pub index: u32,
}

impl NeedKey {
    pub const fn first(kind: NeedKind) -> Self {
        Self { kind, index: 0 }
    }
}
