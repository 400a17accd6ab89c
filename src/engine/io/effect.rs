//! Effects: whatever would touch the world outside of the session.

use strum::IntoStaticStr;

use crate::machine::{SchemaId, SlotId, StateId, Value};

/// Something that a turn would do to the world, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What would be done.
    pub kind: EffectKind,
    /// Whether the gates let it pass.
    pub verdict: Verdict,
    /// What the world did; nothing where it was denied.
    pub outcome: Option<EffectOutcome>,
}

/// What would be done to the user's digital twin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Data is read for a state.
    Read {
        /// The state.
        state: StateId,
        /// What is read: only what the state names.
        keys: Box<[SlotId]>,
    },
    /// Data is written by a state.
    Write {
        /// The state.
        state: StateId,
        /// The schema.
        schema: SchemaId,
        /// What is written.
        payload: Value,
    },
}

/// Whether the gates let an effect pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They do.
    Allowed,
    /// One does not, and why.
    Denied(DenyReason),
}

/// Why a gate denies an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DenyReason {
    /// The user was not asked for consent.
    NotAsked,
    /// The user refused it.
    Refused,
    /// What would be written breaks its schema: where, and how.
    BreaksSchema(Box<str>),
}

impl DenyReason {
    /// Why, in words.
    pub fn words(&self) -> &str {
        match self {
            Self::NotAsked => "consent was not asked for",
            Self::Refused => "consent was refused",
            Self::BreaksSchema(how) => how,
        }
    }
}

/// What the world did with an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EffectOutcome {
    /// All of it.
    Done,
    /// Some of what was asked for is not there.
    Partial,
    /// Nothing of what was asked for is there.
    Absent,
    /// What is there cannot be used.
    Invalid,
    /// The store does not answer.
    Down,
}

impl EffectOutcome {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
