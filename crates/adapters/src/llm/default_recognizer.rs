//! The recognizer of dialogues for which no provider is configured.

use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::example_classifier::ExampleClassifier;
use super::task::Task;
use crate::recognizer::TrainingSet;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::IntentId;

/// Recognizes utterances by the examples of the model. Ignores all other requests, so that a dialogue without such
/// utterances runs as without a provider.
#[derive(Clone, Copy, Debug)]
pub struct DefaultRecognizer;

impl DefaultRecognizer {
    /// The name in records and in `--llm`.
    pub const NAME: &str = ExampleClassifier::NAME;

    /// Whether the model contains more to learn from than names of intents.
    pub fn can_learn(machine: &Machine) -> bool {
        let names = &machine.names.intents;
        let is_taught = |id: IntentId| {
            machine.is_meant_by_people(id)
                && !machine.is_trigger(id)
                && (machine.description(id).is_given() || TrainingSet::has_stock(names.name(id)))
        };
        machine.policies.inputs().navigation
            || machine
                .phrases
                .iter()
                .any(|phrases| !phrases.patterns.is_empty())
            || names.ids().any(is_taught)
    }
}

impl Answerer for DefaultRecognizer {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        match request.task {
            Task::Classify(_) | Task::Navigate { .. } => ExampleClassifier.answer(request, failed),
            _ => None,
        }
    }

    /// No provider is configured, and the examples need neither the history nor the knowledge of the dialogue.
    fn is_there(&self) -> bool {
        false
    }
}
