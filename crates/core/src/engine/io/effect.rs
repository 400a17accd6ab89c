//! Effects: changes that a turn makes outside the session, with their outcomes.

use crate::machine::{EffectId, SchemaId, StateId, Value};

/// An effect of a turn, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub kind: EffectId,
    /// The index among the effects of this kind in the turn, starting at 0.
    pub index: u32,
    /// The target state of the turn.
    pub state: StateId,
    /// The schema of the payload.
    pub schema: Option<SchemaId>,
    pub payload: Value,
    /// Whether the effect was performed, and its outcome.
    pub verdict: Verdict,
}

/// The result of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The gates allowed the effect, which had this outcome.
    Allowed(Box<str>),
    /// The effect was performed, but the returned data violates its schema.
    Broken {
        /// The outcome.
        outcome: Box<str>,
        /// The location and the message of the violation.
        why: Box<str>,
    },
    /// A gate denied the effect, for this reason.
    Denied(Box<str>),
}

/// The status of a denied effect, in conditions.
const DENIED: &str = "denied";
/// The status of an effect that was done.
const DONE: &str = "done";

impl Effect {
    /// The outcome; `None` if a gate denied the effect.
    pub fn outcome(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Allowed(outcome) | Verdict::Broken { outcome, .. } => Some(outcome),
            Verdict::Denied(_) => None,
        }
    }

    /// Whether the effect passed the gates and was done.
    pub(crate) fn is_done(&self) -> bool {
        self.outcome() == Some(DONE)
    }

    /// The status of the effect.
    pub(crate) fn status(&self) -> &str {
        self.outcome().unwrap_or(DENIED)
    }
}
