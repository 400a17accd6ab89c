//! The texts that a recognizer learns from.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::intent_option::IntentOption;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::is_russian;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};

/// The weight of an example of the model.
const EXAMPLE: f64 = 1.0;
/// The weight of the words of a phrase.
const PHRASE: f64 = 0.5;
/// The weight of a name, of a description, and of a stock example.
const HINT: f64 = 0.3;
/// The quotation marks around utterances in texts.
const QUOTES: [char; 5] = ['«', '»', '“', '”', '"'];

/// Common intents with stock examples, by language.
static STOCK: LazyLock<Option<Node>> = LazyLock::new(|| {
    let text = include_str!("stock_examples.yaml");
    let file = SourceMap::default().add_invented("stock examples", text);
    parse_yaml(file, text, 0, &mut Diagnostics::default())
});

/// The classes to recognize, with their texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingSet<'a> {
    pub classes: Vec<TrainingClass<'a>>,
}

/// A class, such as an intent.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingClass<'a> {
    pub name: &'a str,
    pub examples: Vec<TrainingExample<'a>>,
}

/// A text to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingExample<'a> {
    pub text: Cow<'a, str>,
    /// 1 for an utterance from the model, less for any other text.
    pub weight: f64,
}

impl<'a> TrainingExample<'a> {
    fn new(text: impl Into<Cow<'a, str>>, weight: f64) -> Self {
        Self {
            text: text.into(),
            weight,
        }
    }

    /// Whether the text is an example of the model.
    pub fn is_own(&self) -> bool {
        self.weight >= EXAMPLE
    }
}

impl<'a> TrainingSet<'a> {
    /// The user intents of a machine: their examples, the words of their phrases, descriptions and names. Intents with
    /// a common name and without examples in a language also have the stock examples.
    pub fn of(machine: &'a Machine) -> Self {
        let class = |offer: IntentOption<'a>| {
            let examples = offer.examples.iter();
            let mut texts: Vec<TrainingExample<'a>> = examples
                .map(|text| TrainingExample::new(&**text, EXAMPLE))
                .collect();
            let id = machine.names.intents.id(offer.intent);
            let phrases = machine.phrases.iter();
            for phrase in phrases
                .filter(|phrases| Some(phrases.intent) == id)
                .flat_map(|phrases| &phrases.patterns)
            {
                let words: Vec<&str> = phrase.words().collect();
                texts.push(TrainingExample::new(words.join(" "), PHRASE));
            }
            for (language, stock) in stock(offer.intent) {
                let is_given = |text: &str| is_russian(text) == (language == "ru");
                if !offer.examples.iter().any(|text| is_given(text)) {
                    let stock = stock.items().iter().filter_map(Node::text);
                    texts.extend(stock.map(|text| TrainingExample::new(text, HINT)));
                }
            }
            texts.push(TrainingExample::new(offer.description, HINT));
            // Next to examples, a name only adds words that users rarely say.
            if texts.iter().all(|text| text.weight < PHRASE) {
                texts.push(TrainingExample::new(offer.intent, HINT));
            }
            TrainingClass::new(offer.intent, texts)
        };
        Self {
            classes: IntentOption::all(machine).into_iter().map(class).collect(),
        }
    }

    /// The transitions of a state: `conditions` has the conditions, events and triggers of each target, `about` other
    /// texts about it.
    pub fn of_moves(
        targets: &[&'a str],
        conditions: &[Vec<&'a str>],
        about: &[Vec<&'a str>],
    ) -> Self {
        let classes = targets.iter().zip(conditions).zip(about);
        let classes = classes.map(|((name, conditions), about)| {
            let own = conditions.iter().copied();
            // A trigger can quote several utterances: «Check me», «which level am I».
            let quoted = own
                .clone()
                .flat_map(|text| text.split(QUOTES).skip(1).step_by(2));
            let own = own.chain(quoted);
            let own = own.map(|text| TrainingExample::new(text, EXAMPLE));
            let about = about.iter().map(|text| TrainingExample::new(*text, HINT));
            TrainingClass::new(name, own.chain(about).collect())
        });
        Self {
            classes: classes.collect(),
        }
    }
}

impl TrainingSet<'_> {
    /// Whether intents with this name have stock examples.
    pub fn has_stock(intent: &str) -> bool {
        stock(intent).next().is_some()
    }

    /// The stock examples of an intent in a language, `ru` or `en`.
    pub fn stock_examples(
        intent: &str,
        language: &'static str,
    ) -> impl Iterator<Item = &'static str> {
        let examples = stock(intent).filter(move |(name, _)| *name == language);
        examples.flat_map(|(_, examples)| examples.items().iter().filter_map(Node::text))
    }
}

impl<'a> TrainingClass<'a> {
    /// A class without its texts that contain no words.
    fn new(name: &'a str, mut examples: Vec<TrainingExample<'a>>) -> Self {
        examples.retain(|example| example.text.contains(char::is_alphanumeric));
        Self { name, examples }
    }
}

/// The stock examples of an intent, by language.
fn stock(intent: &str) -> impl Iterator<Item = (&'static str, &'static Node)> {
    let languages = STOCK.as_ref().and_then(|all| all.get(intent));
    let languages = languages.map(Node::entries).unwrap_or_default().iter();
    languages.map(|(language, examples)| (&*language.text, examples))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_examples_are_in_both_languages_and_unique() {
        let all = STOCK.as_ref().unwrap().entries();
        assert!(all.len() >= 12, "{}", all.len());
        for (intent, _) in all {
            let languages: Vec<(&str, &Node)> = stock(&intent.text).collect();
            let names: Vec<&str> = languages.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, ["ru", "en"], "{}", intent.text);
            for (language, examples) in languages {
                let texts: Vec<&str> = examples.items().iter().filter_map(Node::text).collect();
                let unique: std::collections::BTreeSet<&str> = texts.iter().copied().collect();
                assert_eq!(unique.len(), examples.items().len(), "{}", intent.text);
                for text in texts {
                    assert_eq!(is_russian(text), language == "ru", "{text}");
                }
            }
        }
        assert_eq!(stock("price_question").count(), 0);
    }

    #[test]
    fn quoted_utterances_of_a_trigger_are_examples() {
        let conditions = [vec!["the user says «check me» or «which level»"]];
        let set = TrainingSet::of_moves(&["test"], &conditions, &[vec!["Test", " - "]]);
        let texts: Vec<(&str, bool)> = set.classes[0]
            .examples
            .iter()
            .map(|example| (&*example.text, example.is_own()))
            .collect();
        assert_eq!(
            texts,
            [
                ("the user says «check me» or «which level»", true),
                ("check me", true),
                ("which level", true),
                ("Test", false),
            ]
        );
    }
}
