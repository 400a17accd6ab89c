//! Findings about a recorded trace.

use serde::Serialize;

/// A finding about a recorded turn, or about all dialogues together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The turn; `None` if no turn of the trace does what at least one turn must do.
    #[serde(skip)]
    pub at: Option<TurnPlace>,
    /// The violated rule, or `divergence` for a replay.
    pub rule: &'static str,
    /// The field in which the replay diverged.
    pub field: Option<&'static str>,
    /// The recorded value.
    pub found: String,
    /// The value that the model declares, or that its replay had.
    #[serde(rename = "model")]
    pub declared: String,
    /// The location in the model: `path:line`.
    pub place: Option<String>,
    /// Further fields that differ in the diverging turn.
    pub also: Vec<&'static str>,
    /// Number of later turns of the dialogue that were not compared.
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

/// The observations of a property in a dialogue, in addition to its findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// It held after some turn, if it must be reachable.
    pub shown: bool,
    /// An obligation was pending when the dialogue stopped without an end.
    pub pending: bool,
    /// Number of turns in which it could not be checked.
    pub not_checked: u64,
}

impl Finding {
    /// A finding about a turn, without a location in the model. `turn` and `line` are those of a [`TurnPlace`].
    pub(super) fn in_turn(
        dialogue: &str,
        (turn, line): (u32, usize),
        rule: &'static str,
        found: String,
        declared: String,
    ) -> Self {
        Self {
            at: Some(TurnPlace {
                dialogue: dialogue.to_owned(),
                turn,
                line,
            }),
            rule,
            found,
            declared,
            ..Self::default()
        }
    }
}
