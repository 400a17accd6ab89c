//! Finds examples of intents that mislead a recognizer, and languages without examples.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::MAX_COMPARED_EXAMPLES;
use fsmsim_adapters::recognizer::{SentenceReader, TrainingSet};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{IntentId, Stems, is_russian};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Span};

/// The minimum margin by which an example reads as another intent. The score of a typical example is 1. Without one of
/// few examples, the scores of all intents are low, and another intent often has the highest one by a small margin.
const CLEAR_MARGIN: f64 = 0.45;
/// The fix for intents that a recognizer confuses.
const TELL_APART: &str = "or describe the difference under `confused_with`";

/// An example of an intent.
struct IntentExample<'m> {
    text: &'m str,
    span: Span,
    stems: BTreeSet<String>,
}

/// The examples of each intent that has any.
type IntentExamples<'m> = BTreeMap<IntentId, Vec<IntentExample<'m>>>;

/// Checks the examples of all intents, also those that several models share.
pub(super) fn check(machine: &Machine, found: &mut Vec<Diagnostic>) {
    let stems = Stems::default();
    let mut examples = IntentExamples::new();
    for intent in machine.intents.ids() {
        let described = machine.description(intent);
        for (text, span) in described.examples.iter().zip(&*described.example_spans) {
            examples.entry(intent).or_default().push(IntentExample {
                text,
                span: *span,
                stems: stems.of(text),
            });
        }
    }
    languages(machine, &examples, found);
    // More examples than that make a check too slow for an editor; `fsmsim eval` measures such models.
    if examples.values().map(Vec::len).sum::<usize>() <= MAX_COMPARED_EXAMPLES {
        similar(machine, &examples, found);
        misread(machine, &examples, found);
    }
}

/// Reports pairs of intents with nearly the same examples.
fn similar(machine: &Machine, examples: &IntentExamples<'_>, found: &mut Vec<Diagnostic>) {
    for (at, (one, mine)) in examples.iter().enumerate() {
        for (other, theirs) in examples.iter().skip(at + 1) {
            if !are_similar(mine, theirs) || is_declared(machine, *one, *other) {
                continue;
            }
            let [name, second] = [*one, *other].map(|id| machine.names.intents.name(id));
            let title = format!("intents `{name}` and `{second}` have nearly the same examples");
            found.extend(theirs.first().map(|first| {
                Diagnostic::warning(Code::SimilarIntents, title)
                    .at(first.span, format!("like examples of `{name}`"))
                    .help(format!(
                        "merge the intents, write examples that differ more, {TELL_APART}"
                    ))
            }));
        }
    }
}

/// Whether at least half of the examples of each intent are nearly the same as examples of the other.
fn are_similar(one: &[IntentExample<'_>], other: &[IntentExample<'_>]) -> bool {
    is_covered(one, other) && is_covered(other, one)
}

/// Whether at least half of the examples have nearly the same counterpart: the Dice coefficient of their stems is at
/// least 0.8.
fn is_covered(examples: &[IntentExample<'_>], others: &[IntentExample<'_>]) -> bool {
    let is_similar = |one: &IntentExample<'_>, other: &IntentExample<'_>| {
        let common = one.stems.intersection(&other.stems).count();
        common > 0 && 5 * common >= 2 * (one.stems.len() + other.stems.len())
    };
    let similar = examples.iter();
    let similar = similar.filter(|one| others.iter().any(|other| is_similar(one, other)));
    2 * similar.count() >= examples.len()
}

/// Whether one of two intents names the other under `confused_with`.
fn is_declared(machine: &Machine, one: IntentId, other: IntentId) -> bool {
    let names = |from: IntentId, to: IntentId| {
        let to = machine.names.intents.name(to);
        let mut others = machine.description(from).confused_with.iter();
        others.any(|(name, _)| **name == *to)
    };
    names(one, other) || names(other, one)
}

/// Reports each example that its recognizer would clearly read as another intent without it.
fn misread(machine: &Machine, examples: &IntentExamples<'_>, found: &mut Vec<Diagnostic>) {
    let reader = SentenceReader::of(machine);
    let all = reader.recognizer.leave_one_out().into_iter();
    for left_out in all.filter(|left_out| left_out.margin >= CLEAR_MARGIN) {
        let (name, read) = (left_out.class, left_out.read_as);
        let [Some(intent), Some(other)] = [name, read].map(|name| machine.names.intents.id(name))
        else {
            continue;
        };
        let [mine, theirs] = [intent, other].map(|id| examples.get(&id).map_or(&[][..], |all| all));
        if are_similar(mine, theirs) || is_declared(machine, intent, other) {
            continue;
        }
        let example = mine.iter().find(|example| example.text == left_out.text);
        found.extend(example.map(|example| {
            let title = format!("an example of `{name}` reads as `{read}`");
            Diagnostic::warning(Code::MisreadExample, title)
                .at(example.span, format!("reads as `{read}`"))
                .help(format!(
                    "reword or move the example, add similar ones to `{name}`, {TELL_APART}"
                ))
        }));
    }
}

/// Reports intents without examples in a language in which most intents have examples. Numbers are examples in every
/// language.
fn languages(machine: &Machine, examples: &IntentExamples<'_>, found: &mut Vec<Diagnostic>) {
    for (language, of_russian) in [("ru", true), ("en", false)] {
        let mut lacking = Vec::new();
        let mut count = 0;
        for (intent, examples) in examples {
            let spoken = examples.iter();
            let mut spoken = spoken.filter(|example| example.text.contains(char::is_alphabetic));
            if spoken
                .clone()
                .any(|example| is_russian(example.text) == of_russian)
            {
                count += 1;
            } else if let Some(first) = spoken.next() {
                lacking.push((machine.names.intents.name(*intent), first.span));
            }
        }
        let is_common = count > lacking.len();
        for (name, span) in lacking.into_iter().filter(|_| is_common) {
            if !TrainingSet::has_stock(name) {
                let title = format!("intent `{name}` has no examples in `{language}`");
                found.push(
                    Diagnostic::warning(Code::ExampleLanguage, title)
                        .at(span, "in another language")
                        .help(format!("add examples in `{language}`")),
                );
            }
        }
    }
}
