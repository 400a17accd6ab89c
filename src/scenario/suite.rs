//! Runs many scenarios: plays them on several threads, and hands the results over in order.

use std::path::PathBuf;

use rayon::prelude::*;

use super::files::FILE_LIMIT;
use super::pass_threshold::PassThreshold;
use super::runner::Runner;
use super::scenario::ScenarioText;
use super::scenario_outcome::ScenarioOutcome;
use super::scenario_result::{ScenarioEnd, ScenarioResult};
use super::scenario_run::TurnCollector;
use super::source::ScenarioSource;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::read_file;
use crate::project::ArtifactClaims;
use crate::snapshot::{NewSnapshot, SnapshotChecker};

/// Documents that are played before their results are handed over.
const BATCH: usize = 512;

/// Scenarios that are run together.
pub struct Suite<'s> {
    /// What they are played with.
    pub runner: Runner<'s>,
    /// Which of them are wanted.
    pub filter: ScenarioFilter,
    /// How often those that ask somebody are played, whatever they say.
    pub repeat: Option<u32>,
    /// Their snapshots.
    pub snapshots: SnapshotChecker,
    /// The cassettes that they took.
    pub cassettes: ArtifactClaims,
}

/// Which scenarios are wanted: those with one of the texts in their title, and with one of the tags. An empty list takes
/// all.
#[derive(Clone, Debug, Default)]
pub struct ScenarioFilter {
    /// Texts of titles.
    pub titles: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
}

impl Suite<'_> {
    /// Runs the scenarios of `files` and hands each result to `each`, in the order of the files and of the documents in
    /// them, whatever the number of threads; with what was collected from its turns, where it was played. Files that
    /// cannot be read are findings.
    pub fn run<C: TurnCollector>(
        &mut self,
        pool: &rayon::ThreadPool,
        files: &[PathBuf],
        found: &mut Diagnostics,
        sources: &mut SourceMap,
        each: &mut dyn FnMut(&SourceMap, ScenarioResult, Option<C>),
    ) {
        for path in files {
            let Some(file) = read_file(path, FILE_LIMIT, sources, found) else {
                continue;
            };
            let documents = ScenarioSource::all(file, path, sources);
            for batch in documents.chunks(BATCH) {
                let (suite, files): (&Self, &SourceMap) = (self, sources);
                let results: Vec<Option<(ScenarioResult, Option<C>)>> =
                    pool.install(|| batch.par_iter().map(|source| suite.play(source, files)).collect());
                for (mut result, collected) in results.into_iter().flatten() {
                    self.settle(&mut result);
                    each(sources, result, collected);
                }
            }
        }
    }

    /// Plays the scenario of a document; `None` where it is not wanted.
    fn play<C: TurnCollector>(
        &self,
        source: &ScenarioSource,
        sources: &SourceMap,
    ) -> Option<(ScenarioResult, Option<C>)> {
        let mut result = ScenarioResult::at(sources.place(source.start(sources)));
        let mut collector = C::default();
        let node = source.node(sources, &mut result.found);
        if let Some(scenario) = node.as_ref().and_then(|node| ScenarioText::read(node, &mut result.found)) {
            if !self.filter.wants(&scenario) {
                return None;
            }
            scenario.title.clone_into(&mut result.title);
            result.place = sources.place(scenario.span);
            result.mock = self.runner.mock_of(&scenario, &source.path);
            if !result.found.has_errors() {
                self.play_scenario(&scenario, source, sources, &mut collector, &mut result);
            }
        }
        let is_played = matches!(result.end, ScenarioEnd::Played(_));
        Some((result, is_played.then_some(collector)))
    }

    fn play_scenario(
        &self,
        scenario: &ScenarioText<'_>,
        source: &ScenarioSource,
        sources: &SourceMap,
        collector: &mut impl TurnCollector,
        result: &mut ScenarioResult,
    ) {
        let prepared = match self.runner.prepare(scenario, &source.path, &mut result.found) {
            Ok(prepared) => prepared,
            Err(model) => {
                result.model = model;
                return;
            }
        };
        result.model = Some(prepared.model.clone());
        let threshold = self.threshold(scenario, prepared.answerers.is_some());
        let expects = prepared.turns.expects_something();
        if threshold.plays > 1 && !expects {
            let title = "the scenario is played several times and expects nothing";
            Diagnostic::error(Code::MissingKey, title)
                .at(scenario.span, "expects nothing")
                .help("add `expect` to a turn; a snapshot is only compared where there is one play")
                .add_to(&mut result.found);
            return;
        }
        // Where plays may differ, no one of them is what the scenario does.
        let snapshot =
            (threshold.plays == 1).then(|| self.snapshots.begin(&source.path, scenario.title, expects)).flatten();
        prepared.play(ScenarioOutcome::new(threshold, expects), snapshot, collector, sources, result);
    }

    /// How often a scenario is played, and how many plays must pass.
    fn threshold(&self, scenario: &ScenarioText<'_>, asks: bool) -> PassThreshold {
        let wanted = scenario.require.unwrap_or(PassThreshold::ONCE);
        if asks { wanted.of(self.repeat.unwrap_or(wanted.plays)) } else { PassThreshold::ONCE }
    }

    /// Gives a scenario its files, and holds what it did against its snapshot.
    fn settle(&mut self, result: &mut ScenarioResult) {
        let own = match result.cassette.clone() {
            Some(cassette) => self.cassettes.take(cassette, "cassette", &result.title, &result.place),
            None => Ok(()),
        };
        let checked = own.and_then(|()| {
            let ScenarioEnd::Played(outcome) = &mut result.end else { return Ok(()) };
            let Some(text) = outcome.snapshot.take() else { return Ok(()) };
            let (place, title) = (&result.place, &*result.title);
            let (expects, passed) = (outcome.expects, outcome.failures.is_empty());
            result.snapshot = self.snapshots.check(NewSnapshot { place, title, text, expects, passed })?;
            Ok(())
        });
        // A scenario whose files cannot be looked at is not a pass.
        if let Err(finding) = checked {
            result.found.push(*finding);
            result.end = ScenarioEnd::Unusable;
        }
    }
}

impl ScenarioFilter {
    /// Whether a scenario is wanted.
    pub fn wants(&self, scenario: &ScenarioText<'_>) -> bool {
        let any =
            |wanted: &[String], has: &dyn Fn(&str) -> bool| wanted.is_empty() || wanted.iter().any(|text| has(text));
        any(&self.titles, &|text| scenario.title.contains(text)) && any(&self.tags, &|tag| scenario.tags.contains(&tag))
    }
}
