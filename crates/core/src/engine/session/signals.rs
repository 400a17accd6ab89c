//! The context signals of one turn (docs/src/explanation/sales-policy.md).

use crate::engine::{Machine, Symbol};
use crate::machine::{IntentId, List, Signal, Value};

/// The context signals: facts about a dialogue in addition to its state and data.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one field per signal")]
pub struct Signals<'a> {
    pub(crate) frustration_level: i64,
    pub(crate) is_stuck: bool,
    pub(crate) has_oscillation: bool,
    pub(crate) momentum_direction: &'a str,
    pub(crate) momentum: f64,
    pub(crate) engagement_level: &'a str,
    pub(crate) repeated_question: Option<&'a str>,
    pub(crate) confidence_trend: &'a str,
    pub(crate) total_objections: i64,
    pub(crate) has_breakthrough: bool,
    pub(crate) turns_since_breakthrough: Option<i64>,
    pub(crate) guard_intervention: Option<&'a str>,
    pub(crate) tone: Option<&'a str>,
    pub(crate) unclear_count: i64,
    pub(crate) secondary: Secondary<'a>,
    pub(crate) consecutive_same_state: i64,
    pub(crate) is_progressing: bool,
    pub(crate) has_extracted_data: bool,
    pub(crate) options: usize,
    pub(crate) question: Option<&'a str>,
}

/// Secondary intents of an utterance: names from the turn, or the value of a given signal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Secondary<'a> {
    Names(&'a [Symbol<IntentId>]),
    Values(Option<&'a List>),
}

impl<'a> Secondary<'a> {
    /// The intents as text.
    pub(crate) fn texts(self, machine: &'a Machine) -> impl Iterator<Item = &'a str> {
        let (names, values) = match self {
            Self::Names(names) => (names, None),
            Self::Values(values) => (&[][..], values),
        };
        names
            .iter()
            .map(|name| name.text(&machine.names.intents))
            .chain(
                values
                    .into_iter()
                    .flat_map(List::iter)
                    .filter_map(Value::as_text),
            )
    }

    pub(crate) fn is_empty(self) -> bool {
        match self {
            Self::Names(names) => names.is_empty(),
            Self::Values(values) => values.is_none_or(List::is_empty),
        }
    }
}

/// Signals of a turn without any signals.
pub(crate) const ABSENT: Signals<'static> = Signals {
    confidence_trend: "stable",
    ..NOTHING_KNOWN
};

/// The derived signals if nothing is known.
pub(crate) const NOTHING_KNOWN: Signals<'static> = Signals {
    frustration_level: 0,
    is_stuck: false,
    has_oscillation: false,
    momentum_direction: "neutral",
    momentum: 0.0,
    engagement_level: "medium",
    repeated_question: None,
    confidence_trend: "unknown",
    total_objections: 0,
    has_breakthrough: false,
    turns_since_breakthrough: None,
    guard_intervention: None,
    tone: None,
    unclear_count: 0,
    secondary: Secondary::Names(&[]),
    consecutive_same_state: 0,
    is_progressing: false,
    has_extracted_data: false,
    options: 0,
    question: None,
};

impl<'a> Signals<'a> {
    /// Sets a signal to a given value. A value of the wrong type is converted if possible; otherwise, the default is
    /// used.
    pub(crate) fn give(&mut self, signal: Signal, value: &'a Value) {
        let number = || {
            #[expect(clippy::cast_possible_truncation, reason = "signals are small numbers")]
            value.as_number().map(|number| number as i64)
        };
        let list = match value {
            Value::List(items) => Some(items),
            _ => None,
        };
        match signal {
            Signal::FrustrationLevel => self.frustration_level = number().unwrap_or(0),
            Signal::IsStuck => self.is_stuck = value.truthy(),
            Signal::HasOscillation => self.has_oscillation = value.truthy(),
            Signal::MomentumDirection => {
                self.momentum_direction = value.as_text().unwrap_or("neutral");
            }
            Signal::Momentum => self.momentum = value.as_number().unwrap_or(0.0),
            Signal::EngagementLevel => self.engagement_level = value.as_text().unwrap_or("medium"),
            Signal::RepeatedQuestion => self.repeated_question = value.as_text(),
            Signal::ConfidenceTrend => self.confidence_trend = value.as_text().unwrap_or("unknown"),
            Signal::TotalObjections => self.total_objections = number().unwrap_or(0),
            Signal::HasBreakthrough => self.has_breakthrough = value.truthy(),
            Signal::TurnsSinceBreakthrough => self.turns_since_breakthrough = number(),
            Signal::GuardIntervention => self.guard_intervention = value.as_text(),
            Signal::Tone => self.tone = value.as_text(),
            Signal::UnclearCount => self.unclear_count = number().unwrap_or(0),
            Signal::SecondaryIntents => self.secondary = Secondary::Values(list),
            Signal::ConsecutiveSameState => self.consecutive_same_state = number().unwrap_or(0),
            Signal::IsProgressing => self.is_progressing = value.truthy(),
            Signal::HasExtractedData => self.has_extracted_data = value.truthy(),
            Signal::DisambiguationOptions => self.options = list.map_or(0, List::len),
            Signal::DisambiguationQuestion => self.question = value.as_text(),
        }
    }
}

/// The signals that a source passes to conditions. In the profile `reference` some are missing
/// (docs/src/explanation/sales-policy.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All signals.
    All,
    /// All signals except the secondary intents.
    Most,
    /// The signals that the fact-question source passes.
    Fact,
}
