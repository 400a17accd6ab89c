//! The interface of a turn: inputs, needs, answers, effects.

mod effect;
mod input;
mod need;
mod reading_doubt;

pub use effect::{Effect, Verdict};
pub(super) use input::no_intent;
pub use input::{Consent, Input, ScriptedTurn, TONES, TurnData};
pub use need::{Answer, Need, told};
pub(super) use need::{answer_of, certainty, first_answer};
pub(super) use reading_doubt::reaches;
pub use reading_doubt::{ConfidenceThresholds, DisambiguationRules, ReadingDecision, ReadingDoubt};
