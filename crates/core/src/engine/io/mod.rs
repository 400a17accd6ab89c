//! The interface of a turn: inputs, needs, answers, effects.

mod effect;
mod input;
mod need;
mod recognition_confidence;

pub use effect::{Effect, Verdict};
pub(super) use input::no_intent;
pub use input::{Consent, Input, ScriptedTurn, TONES, TurnData};
pub use need::{Answer, Need, answer_text};
pub(super) use need::{answer_of, certainty, first_answer};
pub(super) use recognition_confidence::reaches;
pub use recognition_confidence::{
    ConfidenceThresholds, DisambiguationRules, ReadingDecision, RecognitionConfidence,
};
