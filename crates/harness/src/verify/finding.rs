//! Findings about a recorded trace.

use serde::{Deserialize, Serialize};

use fsmsim_core::trace::RecordField;

/// A finding about a recorded turn, or about all dialogues together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The turn. `None` if something that must happen in at least one turn happens in none.
    #[serde(skip)]
    pub at: Option<TurnPlace>,
    /// The violated rule; for a replay, `divergence`.
    pub rule: &'static str,
    /// The field in which the replay diverged.
    pub field: Option<&'static str>,
    /// The recorded value.
    pub found: String,
    /// The value that the model declares, or that resulted from the replay.
    #[serde(rename = "model")]
    pub declared: String,
    /// The location in the model: `path:line`.
    pub place: Option<String>,
    /// Other fields that differ in the same turn.
    pub also: Vec<&'static str>,
    /// The number of later turns in the dialogue that were not compared.
    pub not_compared: usize,
    /// The recorded transition or the name of the property.
    #[serde(skip)]
    pub subject: String,
}

/// A turn in a recorded trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPlace {
    pub dialogue: String,
    /// The number of the turn in the dialogue, from 1.
    pub turn: u32,
    /// The line in the trace, from 1.
    pub line: usize,
}

/// Observations about a property in a dialogue, in addition to findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// Whether the property held after any turn, if it must be reachable.
    pub shown: bool,
    /// Whether an obligation was pending when the dialogue stopped without reaching an end.
    pub pending: bool,
    /// The number of turns in which the property could not be checked.
    pub not_checked: u64,
}

impl Finding {
    /// The field of a record that the finding is about.
    pub(crate) fn record_field(&self) -> RecordField {
        match (self.field, self.rule) {
            (Some(field), _) => RecordField::expected_of(field).unwrap_or(RecordField::State),
            (None, "wrong_missing") => RecordField::Missing,
            (None, rule) if rule.contains("carryover") => RecordField::Carryover,
            (None, rule) if rule.contains("phase") => RecordField::Phase,
            (None, rule) if rule.contains("class") => RecordField::Class,
            (None, rule) if rule.contains("counter") => RecordField::Counters,
            (None, rule) if rule.contains("data") || rule.contains("slot") => RecordField::Data,
            (None, rule) if rule.contains("final") => RecordField::Final,
            _ => RecordField::State,
        }
    }

    /// The finding about a recorded transition.
    #[must_use]
    pub(super) fn about_transition(self, from: Option<&str>, to: &str) -> Self {
        Self {
            subject: format!("{} → {to}", from.unwrap_or("?")),
            ..self
        }
    }

    /// A finding about a turn that has no location in the model. `turn` and `line` are those of a [`TurnPlace`].
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
