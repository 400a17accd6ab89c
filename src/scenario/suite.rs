//! Runs many scenarios: plays them on several threads, and hands the results over in order.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
use crate::threads::{Next, Threads};

/// Documents of a file that are played before their results are handed over.
const PART: usize = 512;

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

/// The results of scenarios that stand in one file behind each other.
pub struct SuitePart<C> {
    /// The file.
    pub sources: Arc<SourceMap>,
    /// The results, with what was collected from the turns of those that were played.
    pub results: Vec<(ScenarioResult, Option<C>)>,
    /// These are the last of the file.
    pub ends_file: bool,
}

/// Scenarios that stand in one file behind each other.
struct FilePart {
    sources: Arc<SourceMap>,
    documents: Vec<ScenarioSource>,
    ends_file: bool,
}

/// The files that the scenarios of a run took for themselves.
#[derive(Default)]
struct SuiteClaims {
    cassettes: ArtifactClaims,
    snapshots: ArtifactClaims,
}

impl Suite<'_> {
    /// Runs the scenarios of `files` and hands the results to `each` as they come, in the order of the files and of the
    /// documents in them, whatever the number of threads. Files that cannot be read are findings.
    pub fn run<C: TurnCollector>(
        &self,
        threads: &Threads,
        files: &[PathBuf],
        found: &mut Diagnostics,
        sources: &mut SourceMap,
        each: &mut dyn FnMut(SuitePart<C>),
    ) {
        let mut claims = SuiteClaims::default();
        let mut parts = files.iter().flat_map(|path| file_parts(path, found, sources));
        let Ok(()) = threads.in_order(
            || parts.next().map_or(Next::End, Next::Item),
            |FilePart { sources, documents, ends_file }| {
                let results = threads.map(&documents, |source| self.play(source, &sources));
                SuitePart { sources, results: results.into_iter().flatten().collect(), ends_file }
            },
            |mut part| {
                for (result, _) in &mut part.results {
                    self.settle(result, &mut claims);
                }
                each(part);
                Ok::<(), Infallible>(())
            },
        );
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
    fn settle(&self, result: &mut ScenarioResult, claims: &mut SuiteClaims) {
        let own = match result.cassette.clone() {
            Some(cassette) => claims.cassettes.take(cassette, "cassette", &result.title, &result.place),
            None => Ok(()),
        };
        let checked = own.and_then(|()| {
            let ScenarioEnd::Played(outcome) = &mut result.end else { return Ok(()) };
            let Some(text) = outcome.snapshot.take() else { return Ok(()) };
            let (place, title) = (&result.place, &*result.title);
            let (expects, passed) = (outcome.expects, outcome.failures.is_empty());
            result.snapshot =
                self.snapshots.check(NewSnapshot { place, title, text, expects, passed }, &mut claims.snapshots)?;
            Ok(())
        });
        // A scenario whose files cannot be looked at is not a pass.
        if let Err(finding) = checked {
            result.found.push(*finding);
            result.end = ScenarioEnd::Unusable;
        }
    }
}

/// The scenarios of a file, in parts. None, with findings, where it cannot be read.
fn file_parts(path: &Path, found: &mut Diagnostics, sources: &mut SourceMap) -> Vec<FilePart> {
    let mut own = SourceMap::default();
    let Some(file) = read_file(path, FILE_LIMIT, &mut own, &mut Diagnostics::default()) else {
        // Once more, for those who show what was found.
        read_file(path, FILE_LIMIT, sources, found);
        return Vec::new();
    };
    let documents = ScenarioSource::all(file, path, &own);
    let sources = Arc::new(own);
    let parts = documents.chunks(PART);
    let mut parts: Vec<_> = parts
        .map(|documents| FilePart { sources: Arc::clone(&sources), documents: documents.to_vec(), ends_file: false })
        .collect();
    if let Some(last) = parts.last_mut() {
        last.ends_file = true;
    }
    parts
}

impl ScenarioFilter {
    /// Whether a scenario is wanted.
    pub fn wants(&self, scenario: &ScenarioText<'_>) -> bool {
        let any =
            |wanted: &[String], has: &dyn Fn(&str) -> bool| wanted.is_empty() || wanted.iter().any(|text| has(text));
        any(&self.titles, &|text| scenario.title.contains(text)) && any(&self.tags, &|tag| scenario.tags.contains(&tag))
    }
}
