//! A scenario that is ready to be played.

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

/// A scenario that is ready to be played.
#[derive(Debug)]
pub struct PreparedScenario<'n> {
    /// The model's key.
    pub model: ModelKey,
    pub machine: Arc<Machine>,
    /// With what it starts.
    pub setup: DialogueSetup,
    /// The turns, with what is expected of them.
    pub turns: ScenarioTurns<'n>,
    /// Why it is known to fall short of what it expects.
    pub known_failure: Option<FailureReason>,
    pub title: String,
    /// Whom it asks what its turns do not say.
    pub answerers: Option<AnswererConfig>,
    /// Its cassette, where the run needs cassettes.
    pub cassette: Option<CassettePath>,
    /// Who plays in the place of the machine, which is what it is held against then.
    pub subject: Option<SubjectSpec>,
    /// Why a subject cannot be begun, where nobody has agreed to it.
    pub unagreed: Option<String>,
    /// The folder in which subjects are run.
    pub root: PathBuf,
    /// Whether it is watched what conditions come to.
    pub watches: bool,
    /// What is said in its plays is kept, to be compared.
    pub compares_plays: bool,
}

impl PreparedScenario<'_> {
    /// What whoever is asked must know of one of its plays.
    pub(super) fn dialogue_key(&self, number: u32) -> DialogueKey<'_> {
        DialogueKey {
            seed: 0,
            dialogue: &self.title,
            number: number.into(),
            cassette: self.cassette.as_ref(),
        }
    }

    /// The dialogue, not yet begun, with whomever it asks.
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

    /// Somebody to ask what the turns do not say, where somebody is there.
    pub fn answerer(&self) -> Option<Box<dyn Answerer>> {
        self.answerers
            .as_ref()
            .map(|answerers| answerers.answerer(&self.dialogue_key(0)))
    }

    /// Its turns, one after the other.
    pub fn turns(&self) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        self.turns.iter(&self.machine)
    }
}
