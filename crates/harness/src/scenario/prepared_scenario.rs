//! A scenario that is ready to run.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use super::known_failure::FailureReason;
use super::model_key::ModelKey;
use super::scenario_turns::{ScenarioTurn, ScenarioTurns};
use fsmsim_adapters::llm::{Answerer, AnswererConfig, CassettePath, DialogueKey};
use fsmsim_adapters::subject::SubjectSpec;
use fsmsim_core::engine::Machine;
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};

/// A scenario that is ready to run.
#[derive(Debug)]
pub struct PreparedScenario<'n> {
    pub model: ModelKey,
    pub machine: Arc<Machine>,
    /// The start of the dialogue.
    pub setup: DialogueSetup,
    /// The turns and their expectations.
    pub turns: ScenarioTurns<'n>,
    /// Why the scenario is expected to fail.
    pub known_failure: Option<FailureReason>,
    pub title: String,
    /// The providers for requests that the turns do not answer.
    pub answerers: Option<AnswererConfig>,
    /// The cassette, if the run uses cassettes.
    pub cassette: Option<CassettePath>,
    /// The external system that is run instead of the machine, and checked against the machine.
    pub subject: Option<SubjectSpec>,
    /// Why the subject cannot be started, if the user has not confirmed calls to it.
    pub unagreed: Option<String>,
    /// The directory in which subjects are run.
    pub root: PathBuf,
    /// Whether the results of conditions are recorded.
    pub watches: bool,
    /// Whether answers are compared between trials.
    pub compares_trials: bool,
    /// Whether the scenario is a transcript, which contains only calls that were made.
    pub is_transcript: bool,
}

impl PreparedScenario<'_> {
    /// The key by which providers identify the first trial.
    pub(super) fn dialogue_key(&self) -> DialogueKey<'_> {
        DialogueKey {
            seed: 0,
            dialogue: &self.title,
            number: 0,
            cassette: self.cassette.as_ref(),
        }
    }

    /// The dialogue before the first turn, with the configured providers.
    pub fn runner(&self) -> DialogueRunner {
        self.asking(self.answerer())
    }

    /// The dialogue before the first turn, with this answerer, or with the examples of the model.
    pub(super) fn asking(&self, answerer: Option<Box<dyn Answerer>>) -> DialogueRunner {
        let runner = self.setup.clone().runner(&self.machine);
        match answerer {
            Some(answerer) => runner.asking(answerer),
            // The subject reads the utterances itself.
            None if self.subject.is_some() => runner,
            None => runner.by_examples(),
        }
    }

    /// The answerer for requests that the turns do not answer, if one is configured.
    pub fn answerer(&self) -> Option<Box<dyn Answerer>> {
        self.answerers
            .as_ref()
            .map(|answerers| answerers.answerer(&self.dialogue_key()))
    }

    /// The turns, in order.
    pub fn turns(&self) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        self.turns.iter(&self.machine)
    }
}
