//! What goes into a turn and what comes back from outside: inputs, needs, answers, effects.

mod answer;
mod consent;
mod disambiguation_rules;
mod effect;
mod input;
mod need;
mod reading_decision;
mod reading_doubt;
mod scripted_turn;

pub use answer::{Answer, told};
pub(super) use answer::{answer_of, certainty, first_answer};
pub use consent::Consent;
pub use disambiguation_rules::DisambiguationRules;
pub use effect::{Effect, Verdict};
pub(super) use input::no_intent;
pub use input::{Input, TONES, TurnData};
pub use need::Need;
pub use reading_decision::ReadingDecision;
pub(super) use reading_doubt::reaches;
pub use reading_doubt::{ConfidenceThresholds, ReadingDoubt};
pub use scripted_turn::ScriptedTurn;
