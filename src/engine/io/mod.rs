//! What goes into a turn and what comes back from outside: inputs, needs, answers, effects.

mod answer;
mod consent;
mod effect;
mod input;
mod need;
mod reading_decision;
mod scripted_turn;

pub(super) use answer::answer_of;
pub use answer::{Answer, told};
pub use consent::Consent;
pub use effect::{DenyReason, Effect, EffectKind, EffectOutcome, Verdict};
pub use input::{Input, TurnData};
pub(super) use need::{CLASSIFY, DECIDE, EXECUTE, NAVIGATE, READ, WRITE};
pub use need::{NEED_KINDS, Need};
pub use reading_decision::ReadingDecision;
pub use scripted_turn::ScriptedTurn;
