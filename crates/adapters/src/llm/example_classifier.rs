//! The example classifier (`examples`) recognizes utterances by the examples of the model. It needs no language model.

use std::sync::Arc;

use super::answer_failure::FailureKind;
use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::reading_task::ReadingTask;
use super::task::Task;
use crate::recognizer::{
    ReadValue, Recognition, Recognizer, ScoredClass, SentenceReader, TrainingSet, ValueReader,
    shared_recognizer,
};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Float, List, SlotId, Value};

/// The confidence that an alternative must exceed.
const MIN_ALTERNATIVE: f64 = 0.01;
/// The maximum number of alternatives.
const ALTERNATIVES: usize = 4;
/// The minimum score of a transition. It has no confidence that a dialogue could question.
const MIN_MOVE_SCORE: f64 = 0.2;

/// Compares utterances with the examples of the model.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExampleClassifier;

impl ExampleClassifier {
    /// The name in records and in `--llm`.
    pub const NAME: &str = "examples";

    /// Recognizes an utterance. Returns the intent, its confidence (the probability, in hundredths), the alternatives,
    /// the values of slots with their words, and the most similar example. Returns `None` if the utterance is unlike all
    /// examples. Of equal intents, the first one of the state is used.
    pub fn read(task: &ReadingTask<'_>) -> Option<Value> {
        let machine = task.machine?;
        let reader = SentenceReader::of(machine);
        let found = reader.recognizer.read_in(task.utterance, &task.here);
        if hundredths(found.score) < Self::none_below(machine) {
            return None;
        }
        let (best, others) = found.classes.split_first()?;
        let others = others
            .iter()
            .filter(|other| hundredths(other.probability) > MIN_ALTERNATIVE)
            .take(ALTERNATIVES)
            .map(|other| Value::map(interpretation(other)))
            .collect();
        let [intent, confidence] = interpretation(best);
        let answer = [intent, confidence, ("alternatives", Value::List(others))];
        let values = values(task, machine, &reader.values, best.name);
        Some(Value::map(
            answer.into_iter().chain(values).chain(closest(&found)),
        ))
    }

    /// The most probable intent and its score, in hundredths, whether or not the score is sufficient.
    pub fn nearest(task: &ReadingTask<'_>) -> Option<(String, f64)> {
        let reader = SentenceReader::of(task.machine?);
        let found = reader.recognizer.read_in(task.utterance, &task.here);
        let best = found.classes.first()?;
        Some((best.name.to_owned(), hundredths(found.score)))
    }

    /// The score below which an utterance has no intent.
    pub fn none_below(machine: &Machine) -> f64 {
        let rules = machine.policies.disambiguation();
        let own = rules.and_then(|rules| rules.none_below);
        own.unwrap_or(Recognizer::NONE_BELOW)
    }

    /// Selects the next state by the texts of the transitions: `conditions` has the conditions and utterances of each
    /// target, `about` other texts about it. Returns `None` if the utterance is unlike all of them. Generates no reply
    /// text.
    pub fn lead(
        targets: &[&str],
        conditions: &[Vec<&str>],
        about: &[Vec<&str>],
        say: &str,
    ) -> Option<Value> {
        let recognizer = shared_recognizer(&TrainingSet::of_moves(targets, conditions, about));
        let found = recognizer.read(say);
        let best = found.classes.first();
        let target = best.filter(|_| found.score >= MIN_MOVE_SCORE)?.name;
        let answer = [("reply", Value::text("")), ("target", Value::text(target))];
        Some(Value::map(answer.into_iter().chain(closest(&found))))
    }
}

impl Answerer for ExampleClassifier {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let by: Arc<str> = Self::NAME.into();
        let (answer, reason) = match &request.task {
            Task::Classify(reading) => (
                Self::read(reading),
                "no example is similar to the utterance",
            ),
            Task::Navigate {
                history,
                targets,
                conditions,
                about,
                ..
            } => {
                let said = history.last().map_or("", |line| &*line.text);
                (
                    Self::lead(targets, conditions, about, said),
                    "no transition of the state is similar to the utterance",
                )
            }
            _ => (
                None,
                "the example classifier supports only `classify` and `navigate`",
            ),
        };
        if let Some(answer) = answer {
            return Some(AnswererReply::free(by, answer));
        }
        failed.push(Attempt::new(by, FailureKind::NoProvider, reason));
        None
    }
}

/// An intent with its confidence.
fn interpretation(class: &ScoredClass<'_>) -> [(&'static str, Value); 2] {
    let confidence = Float::new(hundredths(class.probability));
    [
        ("intent", Value::text(class.name)),
        ("confidence", Value::Float(confidence)),
    ]
}

/// The values in the utterance, and for each slot the words that contain it; nothing without values.
fn values(
    task: &ReadingTask<'_>,
    machine: &Machine,
    reader: &ValueReader,
    intent: &str,
) -> Vec<(&'static str, Value)> {
    let names = &machine.names;
    let wanted = task.wanted.iter().filter_map(|name| names.slots.id(name));
    let wanted: Vec<SlotId> = wanted.collect();
    let intent = names.intents.id(intent);
    let read = reader.read(intent, &wanted, task.utterance, task.at);
    if read.is_empty() {
        return Vec::new();
    }
    let by_slot = |value: fn(&ReadValue) -> Value| {
        let pairs = read.iter();
        Value::map(pairs.map(|one| (names.slots.name(one.slot), value(one))))
    };
    let uncertain = read.iter().filter(|one| one.uncertain);
    let uncertain: List = uncertain
        .map(|one| Value::text(names.slots.name(one.slot)))
        .collect();
    let mut values = vec![
        ("data", by_slot(|one| one.value.clone())),
        ("from", by_slot(|one| Value::text(&one.from))),
    ];
    if !uncertain.is_empty() {
        values.push(("uncertain", Value::List(uncertain)));
    }
    values
}

/// The most similar example, if any.
fn closest(found: &Recognition<'_>) -> Option<(&'static str, Value)> {
    Some(("closest", Value::text(found.closest?)))
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
