//! Effects: what a turn would do to the world outside of the session, and what became of it.

use crate::machine::{EffectId, SchemaId, StateId, Value};

/// Something that a turn would do to the world, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What would be done.
    pub kind: EffectId,
    /// The number among the effects of this kind in the turn, from 0.
    pub index: u32,
    /// The state to which the turn was going.
    pub state: StateId,
    /// What its payload must fit.
    pub schema: Option<SchemaId>,
    /// What it would be done with.
    pub payload: Value,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The gates let it pass, and the world came to this.
    Allowed(Box<str>),
    /// The gates let it pass, and the world did it, but gave what breaks its schema.
    Broken {
        /// What it came to then.
        outcome: Box<str>,
        /// Where and how it breaks it, in words.
        why: Box<str>,
    },
    /// A gate does not let it pass, and why, in words.
    Denied(Box<str>),
}

/// The word for an effect that did not pass, in conditions.
const DENIED: &str = "denied";
/// The word for one that was done.
const DONE: &str = "done";

impl Effect {
    /// What the world came to; nothing where it was not asked.
    pub fn outcome(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Allowed(outcome) | Verdict::Broken { outcome, .. } => Some(outcome),
            Verdict::Denied(_) => None,
        }
    }

    /// Whether it passed, and the world did it.
    pub(crate) fn is_done(&self) -> bool {
        self.outcome() == Some(DONE)
    }

    /// What became of it, in a word.
    pub(crate) fn came_to(&self) -> &str {
        self.outcome().unwrap_or(DENIED)
    }
}
