//! A reading that came from outside is carried out, asked about, or given up (docs/models.md, "In doubt").

use super::config::SalesConfig;
use super::disambiguation_rules::DisambiguationRules;
use crate::engine::Machine;
use crate::engine::io::{Input, ReadingDecision};
use crate::engine::policy::SourceKind;
use crate::engine::read::certainty;
use crate::engine::session::{Clarification, NEVER, Settings, SignalMode, Symbol};
use crate::machine::Value;

/// How far a confidence must be above the high one for a reading to be beyond doubt.
const BEYOND_DOUBT: f64 = 0.10;
/// The distance that stands for that to another reading where there is none.
const LONELY: f64 = 0.5;
/// Confidences are decimal fractions, which floats only come near to: 0.85 is 0.20 above 0.65.
const SLACK: f64 = 1e-9;
/// The option that none of the others is meant.
const OTHER: &str = "other";

/// What a reading may mean besides: a name and a confidence.
type Alternative<'a> = (&'a str, f64);

/// Takes a reading that is already in the input: where it is doubtful, the input becomes one that asks back, or one that
/// was not understood.
pub(super) fn assess_confidence(
    config: &SalesConfig,
    machine: &Machine,
    settings: &Settings,
    clarification: &Clarification,
    reading: &Value,
    input: &mut Input,
) -> Option<ReadingDecision> {
    let confidence = input.confidence.map_or(0.0, |confidence| confidence.get().clamp(0.0, 1.0));
    let rules = &config.disambiguation;
    // Where nobody would ask, doubting helps nobody.
    let asks = settings.sources.has(SourceKind::Disambiguation) && settings.signals != SignalMode::None;
    let (Some(ambiguous), true) = (rules.ambiguous, asks) else { return Some(ReadingDecision::Execute) };
    let intent = input.intent.as_ref()?.text(&machine.names.intents);
    let alternatives = alternatives(reading, intent);
    let uncertain = UncertainReading { rules, intent, confidence, alternatives: &alternatives };
    if uncertain.is_settled(clarification) {
        return Some(ReadingDecision::Execute);
    }
    let taken = uncertain.taken();
    match taken {
        ReadingDecision::Execute => {}
        ReadingDecision::Fallback => {
            if let Some(unclear) = config.unclear {
                input.intent = Some(Symbol::Known(unclear));
            }
        }
        ReadingDecision::Confirm | ReadingDecision::Disambiguate => {
            let options = uncertain.options(taken, machine);
            if options.is_empty() {
                return Some(ReadingDecision::Execute);
            }
            input.intent = Some(Symbol::Known(ambiguous));
            if input.options.is_empty() {
                input.options = options;
            }
            input.question = input.question.take().or_else(|| rules.question.clone());
        }
    }
    Some(taken)
}

/// A reading with what it might be instead.
struct UncertainReading<'a> {
    rules: &'a DisambiguationRules,
    intent: &'a str,
    confidence: f64,
    /// The best first.
    alternatives: &'a [Alternative<'a>],
}

impl UncertainReading<'_> {
    /// Whether the reading is carried out whatever its distance to others.
    fn is_settled(&self, clarification: &Clarification) -> bool {
        let rules = self.rules;
        // The turn that begins counts.
        let turns_since = NEVER.min(clarification.turns_since.saturating_add(1));
        let is_social = |name: &str| is_in(name, &rules.social);
        let compound = || {
            let others = self.alternatives.iter();
            is_social(self.intent)
                && others.clone().any(|(name, share)| !is_social(name) && reaches(*share, rules.least_option))
        };
        clarification.open
            || turns_since < rules.cooldown
            || is_in(self.intent, &rules.bypass)
            || reaches(self.confidence, rules.high + BEYOND_DOUBT)
            || compound()
    }

    fn taken(&self) -> ReadingDecision {
        let rules = self.rules;
        let gap = match self.alternatives.first() {
            Some((_, next)) => self.confidence - next,
            None => self.confidence.min(LONELY),
        };
        if reaches(self.confidence, rules.high.min(rules.medium)) {
            if reaches(gap, rules.gap) { ReadingDecision::Execute } else { ReadingDecision::Confirm }
        } else if reaches(self.confidence, rules.minimum) {
            ReadingDecision::Disambiguate
        } else {
            ReadingDecision::Fallback
        }
    }

    /// The readings to choose from; none, where there is nothing to offer.
    fn options(&self, taken: ReadingDecision, machine: &Machine) -> Vec<Value> {
        let rules = self.rules;
        let likely = self.alternatives.iter().filter(|(_, share)| reaches(*share, rules.least_option));
        let names = std::iter::once(self.intent).chain(likely.map(|(name, _)| *name));
        let mut offered: Vec<&str> = Vec::new();
        for name in names.filter(|name| !is_in(name, &rules.excluded)) {
            if !offered.contains(&name) && offered.len() + 1 < rules.most_options {
                offered.push(name);
            }
        }
        match taken {
            _ if offered.is_empty() => {}
            ReadingDecision::Confirm => offered.truncate(1),
            _ => offered.push(OTHER),
        }
        offered.into_iter().map(|name| option(name, machine)).collect()
    }
}

/// An option, with the words for it.
fn option(name: &str, machine: &Machine) -> Value {
    let described = machine.names.intents.id(name).map(|id| &*machine.description(id).description);
    let label = described.filter(|text| !text.is_empty()).unwrap_or(name);
    Value::map([("intent", Value::text(name)), ("label", Value::text(label))])
}

/// The other readings that a reading names, the best first. What is no reading, or the same one again, is none.
fn alternatives<'a>(reading: &'a Value, intent: &str) -> Vec<Alternative<'a>> {
    let Some(Value::List(items)) = reading.get("alternatives") else { return Vec::new() };
    let mut others: Vec<Alternative<'_>> = items
        .iter()
        .filter_map(|item| Some((item.get("intent")?.as_text()?, certainty(item.get("confidence"))?)))
        .filter(|(name, _)| !name.is_empty() && *name != intent)
        .collect();
    others.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    others
}

fn reaches(number: f64, limit: f64) -> bool {
    number >= limit - SLACK
}

fn is_in(name: &str, names: &[Box<str>]) -> bool {
    names.iter().any(|known| **known == *name)
}
