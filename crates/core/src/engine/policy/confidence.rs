//! Clarification, for the policies that have it: decides whether a recognizer's answer is accepted, clarified or
//! rejected (docs/src/explanation/recognition.md), and asks the question.

use std::sync::Arc;

use crate::engine::io::reaches;
use crate::engine::session::{NEVER, OTHER};
use crate::engine::{
    Blackboard, Clarification, CommitTurn, DisambiguationRules, Input, Machine, OpenQuestion,
    ReadingDecision, Reason, RecognitionConfidence, Settings, SignalMode, SourceKind, Symbol,
    TurnContext, certainty,
};
use crate::machine::{ActionId, IntentId, Level, Value, is_russian};

/// Another intent of an answer: a name and a confidence.
type Alternative<'a> = (&'a str, f64);

/// Proposes the question if there are intents to choose from.
pub(in crate::engine::policy) fn ask_back(
    turn: &TurnContext<'_>,
    action: ActionId,
    reason: impl Into<Reason>,
    board: &mut Blackboard,
) {
    if turn.signals.is_some_and(|signals| signals.options > 0) {
        board.block(SourceKind::Disambiguation, action, Level::High, reason);
    }
}

/// Stores the question until the next turn answers it, if the turn asked it with this action.
pub(in crate::engine::policy) fn keep_question(turn: &mut CommitTurn<'_>, action: ActionId) {
    if turn.input.options.is_empty() || turn.decision.action != action {
        return;
    }
    let slots = &turn.machine.names.slots;
    let data = turn.input.data.values().iter();
    let asked = OpenQuestion {
        options: turn.input.options.as_slice().into(),
        state: Some(turn.from),
        data: Value::map(data.map(|(name, value)| (name.text(slots), value.clone()))),
        attempt: 1,
    };
    let turns_since = turn.clarification.turns_since;
    *turn.clarification = Clarification {
        open: true,
        turns_since,
        state: Some(turn.from),
        asked: Some(Arc::new(asked)),
    };
}

/// Decides about an answer that is already in the input. If the confidence is low, the input becomes a clarification or
/// an input that was not understood, with the intent `unclear`.
pub(in crate::engine::policy) fn assess_confidence(
    (rules, unclear): (&DisambiguationRules, Option<IntentId>),
    machine: &Machine,
    settings: &Settings,
    clarification: &Clarification,
    reading: &Value,
    input: &mut Input,
) -> Option<ReadingDecision> {
    let confidence = input
        .confidence
        .map_or(0.0, |confidence| confidence.get().clamp(0.0, 1.0));
    // Without clarification questions, the confidence has no effect.
    let asks =
        settings.sources.has(SourceKind::Disambiguation) && settings.signals != SignalMode::None;
    let (Some(ambiguous), true) = (rules.ambiguous, asks) else {
        return Some(ReadingDecision::Execute);
    };
    let intent = input.intent.as_ref()?.text(&machine.names.intents);
    // The current turn counts.
    let turns_since = NEVER.min(clarification.turns_since.saturating_add(1));
    if clarification.open || turns_since < rules.cooldown {
        return Some(ReadingDecision::Execute);
    }
    let doubt = rules.doubt(intent, confidence, reading);
    let disposition = doubt.disposition(rules.thresholds);
    match disposition {
        ReadingDecision::Execute => {}
        ReadingDecision::Fallback => {
            if let Some(unclear) = unclear {
                input.intent = Some(Symbol::Known(unclear));
            }
        }
        ReadingDecision::Confirm | ReadingDecision::Disambiguate => {
            let mut offered = doubt.offered;
            if disposition == ReadingDecision::Confirm {
                offered.truncate(1);
            }
            let options = offered.iter().map(|name| option(name, name, machine));
            let mut options: Vec<Value> = options.collect();
            if disposition == ReadingDecision::Disambiguate {
                let mut labels = options
                    .iter()
                    .filter_map(|option| option.get("label")?.as_text());
                let label = if labels.any(is_russian) {
                    "другое"
                } else {
                    OTHER
                };
                options.push(option(OTHER, label, machine));
            }
            input.intent = Some(Symbol::Known(ambiguous));
            if input.options.is_empty() {
                input.options = options;
            }
            input.question = input.question.take().or_else(|| rules.question.clone());
        }
    }
    Some(disposition)
}

impl DisambiguationRules {
    /// The part of an answer that decides how it is accepted.
    pub fn doubt(&self, intent: &str, confidence: f64, reading: &Value) -> RecognitionConfidence {
        let others = alternatives(reading, intent);
        let is_social = |name: &str| is_in(name, &self.social);
        let compound = is_social(intent)
            && others
                .iter()
                .any(|(name, share)| !is_social(name) && reaches(*share, self.least_option));
        let likely = others
            .iter()
            .filter(|(_, share)| reaches(*share, self.least_option));
        let names = std::iter::once(intent).chain(likely.map(|(name, _)| *name));
        let mut offered: Vec<Box<str>> = Vec::new();
        for name in names.filter(|name| !is_in(name, &self.excluded)) {
            if !offered.iter().any(|known| **known == *name)
                && offered.len() + 1 < self.most_options
            {
                offered.push(name.into());
            }
        }
        let next = others.first().map(|(_, share)| *share);
        RecognitionConfidence {
            confidence,
            next,
            is_exempt: compound || is_in(intent, &self.bypass),
            offered,
        }
    }
}

/// An option with its label: the description of the intent, or else `label`.
fn option(name: &str, label: &str, machine: &Machine) -> Value {
    let label = machine
        .names
        .intents
        .id(name)
        .map(|id| &*machine.description(id).description)
        .filter(|text| !text.is_empty())
        .unwrap_or(label);
    Value::map([("intent", Value::text(name)), ("label", Value::text(label))])
}

/// The other intents in an answer, by descending confidence. Invalid items and the intent itself are ignored.
fn alternatives<'a>(reading: &'a Value, intent: &str) -> Vec<Alternative<'a>> {
    let items = reading.get("alternatives").into_iter();
    let mut others: Vec<Alternative<'_>> = items
        .flat_map(Value::items)
        .filter_map(|item| {
            Some((
                item.get("intent")?.as_text()?,
                certainty(item.get("confidence"))?,
            ))
        })
        .filter(|(name, _)| !name.is_empty() && *name != intent)
        .collect();
    others.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    others
}

fn is_in(name: &str, names: &[Box<str>]) -> bool {
    names.iter().any(|known| **known == *name)
}
