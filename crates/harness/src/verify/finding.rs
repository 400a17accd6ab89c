//! What speaks against a recorded trace.

use serde::Serialize;

/// What speaks against a recorded turn, or against all dialogues together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The turn; nothing where no turn of the trace does what some turn must.
    #[serde(skip)]
    pub at: Option<TurnPlace>,
    /// The rule that is broken; of a replay, that it went another way.
    pub rule: &'static str,
    /// The field in which the replay went another way.
    pub field: Option<&'static str>,
    /// What the trace has.
    pub found: String,
    /// What the model declares, or did.
    #[serde(rename = "model")]
    pub declared: String,
    /// Where in the model: `path:line`.
    pub place: Option<String>,
    /// Further fields of the turn in which the replay went another way.
    pub also: Vec<&'static str>,
    /// Turns of the dialogue behind this one that were not compared.
    pub not_compared: usize,
}

/// A turn of a recorded trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    pub dialogue: String,
    /// The number of the turn in the dialogue, from 1.
    pub turn: u32,
    /// The line of the trace, from 1.
    pub line: usize,
}

/// What was seen of a property in a dialogue, besides what speaks against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// It held after some turn, if that is what it asks for.
    pub shown: bool,
    /// Something was still owed where the dialogue just stopped.
    pub open: bool,
    /// The turns in which nobody could judge it.
    pub not_judged: u64,
}

impl Finding {
    /// A finding that has no place in the model yet.
    pub(super) fn new(
        at: Option<TurnPlace>,
        rule: &'static str,
        found: String,
        declared: String,
    ) -> Self {
        Self {
            at,
            rule,
            field: None,
            found,
            declared,
            place: None,
            also: Vec::new(),
            not_compared: 0,
        }
    }
}
