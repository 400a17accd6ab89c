//! A scenario that is ready to be played.

use std::borrow::Cow;
use std::sync::Arc;

use super::known_failure::FailureReason;
use super::runner::ModelKey;
use super::scenario_outcome::ScenarioOutcome;
use super::scenario_result::{ScenarioEnd, ScenarioResult};
use super::scenario_run::{ScenarioRun, TurnCollector};
use super::scenario_turns::{ScenarioTurn, ScenarioTurns};
use crate::diagnostic::SourceMap;
use crate::engine::Machine;
use crate::llm::{AnswerFailure, Answerer, AnswererConfig, CassettePath, DialogueKey, FailureKind};
use crate::runtime::{DialogueRunner, DialogueSetup};
use crate::snapshot::SnapshotText;

/// A scenario that is ready to be played.
#[derive(Debug)]
pub struct PreparedScenario<'n> {
    /// The model's key.
    pub model: ModelKey,
    /// The machine.
    pub machine: Arc<Machine>,
    /// With what it starts.
    pub setup: DialogueSetup,
    /// The turns, with what is expected of them.
    pub turns: ScenarioTurns<'n>,
    /// Why it is known to fall short of what it expects.
    pub known_failure: Option<FailureReason>,
    /// Its title.
    pub title: String,
    /// Whom it asks what its turns do not say.
    pub answerers: Option<AnswererConfig>,
    /// Its cassette, where the run needs cassettes.
    pub cassette: Option<CassettePath>,
    /// Whether it is watched what conditions come to.
    pub watches: bool,
}

impl PreparedScenario<'_> {
    /// What whoever is asked must know of one of its plays.
    fn dialogue_key(&self, number: u32) -> DialogueKey<'_> {
        DialogueKey { seed: 0, dialogue: &self.title, number: number.into(), cassette: self.cassette.as_ref() }
    }

    /// The dialogue, not yet begun, with whomever it asks.
    pub fn runner(&self) -> DialogueRunner {
        let runner = self.setup.clone().runner(&self.machine);
        match self.answerer() {
            Some(answerer) => runner.asking(answerer),
            None => runner,
        }
    }

    /// Somebody to ask what the turns do not say, where somebody is there.
    fn answerer(&self) -> Option<Box<dyn Answerer>> {
        self.answerers.as_ref().map(|answerers| answerers.answerer(&self.dialogue_key(0)))
    }

    /// Its turns, one after the other.
    pub fn turns(&self) -> impl Iterator<Item = Cow<'_, ScenarioTurn>> {
        self.turns.iter(&self.machine)
    }

    /// Plays it as often as is needed, and notes how it ended. All plays are on one cassette.
    pub(super) fn play(
        &self,
        mut outcome: ScenarioOutcome,
        mut snapshot: Option<SnapshotText>,
        collector: &mut impl TurnCollector,
        sources: &SourceMap,
        result: &mut ScenarioResult,
    ) {
        let mut answerer = self.answerer();
        let mut missed = None;
        while !outcome.is_decided() && missed.is_none() {
            let mut runner = self.setup.clone().runner(&self.machine);
            if self.watches {
                runner = runner.watched();
            }
            if let Some(mut somebody) = answerer.take() {
                if outcome.plays > 0 {
                    somebody.rewind(&self.dialogue_key(outcome.plays));
                }
                runner = runner.asking(somebody);
            }
            let run = ScenarioRun::of(self, &mut runner, snapshot.take(), collector, sources);
            if run.asked {
                result.cassette = self.cassette.as_ref().map(|cassette| cassette.path.clone());
            }
            // Other plays cannot make up for what was not recorded.
            let not_recorded = |failure: &AnswerFailure| failure.kind == FailureKind::NotRecorded;
            missed = run.unread.clone().filter(|_| runner.unread().is_some_and(not_recorded));
            outcome.add(run);
            answerer = Some(runner.into_answerer());
        }
        let errors = result.found.error_count();
        if let Some(mut somebody) = answerer {
            somebody.finish(&mut result.found);
        }
        if result.found.error_count() == errors {
            result.end = missed.map_or_else(|| outcome.judge(), ScenarioEnd::Unread);
        }
    }
}
