//! A scenario that is played on several machines.

use std::path::Path;
use std::sync::Arc;

use super::file_opener::FileOpener;
use super::model_key::ModelKey;
use super::prepared_scenario::PreparedScenario;
use super::runner::Runner;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use super::turn_collector::TurnCollector;
use crate::snapshot::{SnapshotRecord, SnapshotText};
use fsmsim_core::engine::Machine;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A scenario with the texts that it was read from.
#[derive(Clone)]
pub(crate) struct OpenScenario {
    pub sources: Arc<SourceMap>,
    pub source: ScenarioSource,
}

impl OpenScenario {
    /// A scenario that is not saved. `path` is the path that it would have.
    pub(crate) fn unsaved(project: &Project, path: &Path, text: &str) -> Option<Self> {
        let mut texts = SourceMap::default();
        texts.put_instead(path, text);
        let mut opener = FileOpener::new(project, &[]).reading(&texts);
        let part = opener.open(path).into_iter().next()?;
        let source = part.documents.into_iter().next()?;
        Some(Self {
            sources: part.sources,
            source,
        })
    }

    /// Plays the scenario on a machine. Returns whether it passes, and the requested snapshot; `None` if the scenario is
    /// invalid for the machine. `watches` adds the values of conditions to the records.
    pub(crate) fn play(
        &self,
        runner: &Runner<'_>,
        (key, machine): (&ModelKey, &Arc<Machine>),
        watches: bool,
        snapshot: Option<SnapshotText>,
        collector: &mut impl TurnCollector,
    ) -> Option<(bool, Option<SnapshotRecord>)> {
        let mut found = Diagnostics::default();
        let document = self.source.document(&self.sources, &mut found)?;
        let scenario = ScenarioText::read(&document, &mut found)?;
        let prepared = runner.prepare_on(&scenario, key.clone(), machine, None, &mut found);
        let prepared = prepared.ok().filter(|_| !found.has_errors())?;
        let prepared = PreparedScenario {
            watches,
            ..prepared
        };
        Some(prepared.trial(snapshot, collector, &self.sources))
    }
}
