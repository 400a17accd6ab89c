//! The sentences of a simulated user: examples of intents, with the values of the persona.

use std::sync::Arc;

use super::sample_values::speaks_russian;
use fsmsim_adapters::llm::SeededRng;
use fsmsim_adapters::recognizer::{TrainingSet, ValueReader};
use fsmsim_core::engine::{Machine, Symbol};
use fsmsim_core::machine::{IdVec, IntentId, SlotId, Value};

/// The values of a turn.
type Values = [(Symbol<SlotId>, Value)];

/// The sentences for each intent of a machine.
#[derive(Clone, Debug, Default)]
pub struct SpokenIntents {
    sentences: IdVec<IntentId, Vec<Sentence>>,
}

/// An example of an intent.
#[derive(Clone, Debug)]
struct Sentence {
    text: Arc<str>,
    /// The slots whose values the text contains, with the words of the values.
    values: Vec<(SlotId, String)>,
}

impl SpokenIntents {
    /// The examples of a machine. Common intents without examples have stock examples in the language of the machine.
    pub fn of(machine: &Machine) -> Self {
        let reader = ValueReader::of(machine);
        let language = if speaks_russian(machine) { "ru" } else { "en" };
        let mut spoken = Self::default();
        for intent in machine.intents.ids() {
            let own = machine.description(intent).examples.iter();
            let mut texts: Vec<&str> = own.map(|text| &**text).collect();
            if texts.is_empty() {
                let name = machine.names.intents.name(intent);
                texts = TrainingSet::stock_examples(name, language).collect();
            }
            let sentence = |text: &str| {
                let values = reader.read(Some(intent), machine.known_slots(), text, None);
                let values = values.into_iter().map(|read| (read.slot, read.from));
                // A complete example is not a value.
                let values = values.filter(|(slot, _)| !reader.takes_only_text(*slot));
                Sentence {
                    text: text.into(),
                    values: values.collect(),
                }
            };
            *spoken.sentences.grow(intent) = texts.into_iter().map(sentence).collect();
        }
        spoken
    }

    /// Draws a sentence for an intent and puts these values into it. Prefers examples that contain these slots and no
    /// others. Returns `None` if the intent has no example.
    pub(super) fn draw(
        &self,
        intent: IntentId,
        values: &Values,
        rng: &mut SeededRng,
    ) -> Option<Arc<str>> {
        let sentences = self.sentences.lookup(intent)?;
        let best = sentences.iter().map(|one| one.suits(values)).max()?;
        let best = sentences.iter().filter(|one| one.suits(values) == best);
        let count = u32::try_from(best.clone().count()).unwrap_or(u32::MAX);
        let mut best = best.skip(rng.below(count) as usize);
        Some(best.next()?.with(values))
    }
}

impl Sentence {
    /// The number of these values that have a place in the text. `None` if the text contains a value of another slot,
    /// because the recognizer would read it.
    fn suits(&self, values: &Values) -> Option<usize> {
        let mut slots = self.values.iter().map(|(slot, _)| Symbol::Known(*slot));
        let all_given = slots.all(|slot| values.iter().any(|(name, _)| *name == slot));
        all_given.then_some(self.values.len())
    }

    /// The text with these values instead of those of the example. Values without a place in the text follow it.
    fn with(&self, values: &Values) -> Arc<str> {
        if values.is_empty() {
            return Arc::clone(&self.text);
        }
        let mut said = self.text.to_string();
        // A sentence expresses a boolean value by its words, not by `true`.
        let spoken = |(_, value): &&(_, Value)| !matches!(value, Value::Bool(_));
        for (name, value) in values.iter().filter(spoken) {
            let is_own = |(slot, _): &&(SlotId, String)| *name == Symbol::Known(*slot);
            said = match self.values.iter().find(is_own) {
                Some((_, words)) => said.replacen(words, &value.in_words(), 1),
                None => format!("{said}, {}", value.in_words()),
            };
        }
        said.into()
    }
}
