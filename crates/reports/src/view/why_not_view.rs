//! What would have led elsewhere.

use schemars::JsonSchema;
use serde::Serialize;

use fsmsim_harness::rehearsal::{Detour, Rehearsal, WhyNotReply};

/// What would have led to a state, or to an action.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WhyNotView {
    to: String,
    /// The answer in a sentence.
    pub told: String,
    /// The proposals of the last turn that wanted this and lost, each with the winner and the reason.
    pub rejected: Vec<String>,
    /// The lines that lead there; nothing if the search found none.
    pub lines: Option<Vec<String>>,
    /// Whether the last turn must be taken back first.
    pub undo: bool,
}

impl WhyNotView {
    /// Searches for it.
    pub fn of(rehearsal: &Rehearsal, to: &str) -> Result<Self, String> {
        let asked = rehearsal.why_not(to.trim())?;
        let told = asked.told();
        let lines = match asked.answer {
            WhyNotReply::Searched(Detour::Found(lines)) => Some(lines),
            _ => None,
        };
        Ok(Self {
            to: to.to_owned(),
            told,
            rejected: asked.rejected,
            undo: asked.goes_back && lines.is_some(),
            lines,
        })
    }
}
