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
    /// How the dialogue starts.
    pub setup: DialogueSetup,
    /// The turns with their expectations.
    pub turns: ScenarioTurns<'n>,
    /// Why it is expected to fail.
    pub known_failure: Option<FailureReason>,
    pub title: String,
    /// The providers for requests that its turns do not answer.
    pub answerers: Option<AnswererConfig>,
    /// Its cassette, if the run uses cassettes.
    pub cassette: Option<CassettePath>,
    /// The external system that runs instead of the machine, and is checked against the machine.
    pub subject: Option<SubjectSpec>,
    /// Why the subject cannot start, if the user has not agreed to it.
    pub unagreed: Option<String>,
    /// The directory in which subjects run.
    pub root: PathBuf,
    /// Whether the results of conditions are recorded.
    pub watches: bool,
    /// Whether the answers of its trials are compared.
    pub compares_trials: bool,
}

impl PreparedScenario<'_> {
    /// The key of its first trial, for the providers.
    pub(super) fn dialogue_key(&self) -> DialogueKey<'_> {
        DialogueKey {
            seed: 0,
            dialogue: &self.title,
            number: 0,
            cassette: self.cassette.as_ref(),
        }
    }

    /// The dialogue before its first turn, with the configured providers.
    pub fn runner(&self) -> DialogueRunner {
        self.asking(self.answerer())
    }

    /// The dialogue before its first turn, with this answerer.
    pub(super) fn asking(&self, answerer: Option<Box<dyn Answerer>>) -> DialogueRunner {
        let runner = self.setup.clone().runner(&self.machine);
        match answerer {
            Some(answerer) => runner.asking(answerer),
            None => runner,
        }
    }

    /// The answerer for requests that the turns do not answer, if one is configured.
    pub fn answerer(&self) -> Option<Box<dyn Answerer>> {
        self.answerers
            .as_ref()
            .map(|answerers| answerers.answerer(&self.dialogue_key()))
    }

    /// Its turns, in order.
    pub fn turns(&self) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        self.turns.iter(&self.machine)
    }
}
