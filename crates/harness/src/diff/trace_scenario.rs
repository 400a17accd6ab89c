//! Runs a scenario only to get its trace, ignoring its expectations.

use std::sync::Arc;

use super::named_model::NamedModel;
use super::trace_comparison::ModelOfDialogue;
use crate::scenario::{ModelKey, PreparedScenario, Runner, ScenarioSource, ScenarioText};
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::{JsonLine, TracedDialogue, TracedHeader, TurnReport};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A scenario run, as a trace.
#[derive(Debug)]
pub(super) struct TracedScenario {
    /// The dialogue, named after the scenario.
    pub dialogue: TracedDialogue,
    pub by: PlayedBy,
    /// No recognizer could read the utterance of at least one turn.
    pub unread: bool,
}

/// The machine that a dialogue was run with.
#[derive(Clone, Debug)]
pub struct PlayedBy {
    pub(super) machine: Arc<Machine>,
    pub(super) model: ModelKey,
    /// The scenario and its files, for running it with other machines.
    pub(super) source: Option<(ScenarioSource, Arc<SourceMap>)>,
}

impl TracedScenario {
    pub(super) fn of(prepared: &PreparedScenario<'_>, found: &mut Diagnostics) -> Self {
        let mut runner = prepared.runner();
        let header = TracedHeader {
            dialogue: prepared.title.clone(),
            ..TracedHeader::default()
        };
        let mut dialogue = TracedDialogue::new(header, 1, "");
        let mut unread = false;
        let mut json = JsonLine::default();
        for turn in prepared.turns() {
            let played = runner.play(&turn.scripted);
            let line = played.view;
            unread |= played.unread.is_some();
            json.clear();
            line.write(&mut json);
            dialogue.push_played(&json);
        }
        runner.into_answerer().finish(found);
        Self {
            dialogue,
            by: PlayedBy {
                machine: Arc::clone(&prepared.machine),
                model: prepared.model.clone(),
                source: None,
            },
            unread,
        }
    }

    /// The turns. They are always readable, because this program wrote them.
    pub(super) fn turns(&self) -> Option<Vec<TurnReport>> {
        self.dialogue
            .turns("", &mut Diagnostics::default(), &mut SourceMap::default())
    }
}

impl PlayedBy {
    /// The machine with its name. `names` are path prefixes, each with the prefix to display.
    pub(super) fn named(self, names: &[(String, String)]) -> ModelOfDialogue {
        let machine = &self.machine;
        (NamedModel { machine, names }.name(), self.machine)
    }

    /// The model with other texts in the files with these paths. `None` if it is invalid.
    pub(super) fn rebuilt(
        &self,
        runner: &Runner<'_>,
        texts: &[(String, String)],
    ) -> Option<Arc<Machine>> {
        let models = runner.models.lock();
        models.load_instead(&self.model.path, self.model.variant, texts)
    }

    /// The turns of the scenario with another machine. Names of this machine are also valid.
    pub(super) fn replay(
        &self,
        runner: &Runner<'_>,
        machine: &Arc<Machine>,
    ) -> Option<Vec<TurnReport>> {
        let (source, sources) = self.source.as_ref()?;
        // Findings were reported when the scenario ran.
        let found = &mut Diagnostics::default();
        let document = source.document(sources, found)?;
        let scenario = ScenarioText::read(&document, found)?;
        let model = self.model.clone();
        let prepared = runner.prepare_on(&scenario, model, machine, Some(&self.machine), found);
        TracedScenario::of(&prepared.ok()?, found).turns()
    }
}
