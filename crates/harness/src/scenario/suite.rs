//! Scenarios that are run together: which, and how. Plays them on several threads, and hands the results over in order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::file_opener::{FileOpener, FilePart};
use super::files::ScenarioFiles;
use super::pass_threshold::PassThreshold;
use super::prepared_scenario::PreparedScenario;
use super::runner::Runner;
use super::scenario_outcome::{ScenarioEnd, ScenarioOutcome};
use super::scenario_plays::Stage;
use super::scenario_result::ScenarioResult;
use super::scenario_selection::ScenarioSelection;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use super::turn_collector::TurnCollector;
use crate::snapshot::{NewSnapshot, Pruning, SnapshotChecker, SnapshotLedger, SnapshotMode};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_runtime::project::ArtifactClaims;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Next, Threads};

/// Scenarios that are run together: which, and how.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub struct Suite<'s> {
    /// What they are played with.
    pub runner: Runner<'s>,
    pub files: ScenarioFiles,
    /// Which scenarios of the files are selected.
    pub selection: &'s dyn ScenarioSelection,
    pub snapshots: SnapshotChecker,
    /// Whether orphaned snapshots are removed.
    pub pruning: Pruning,
    /// The run stops at the first scenario that is not well.
    pub fails_fast: bool,
    /// Scenarios that call no provider are played twice; both records must be the same.
    pub checks_determinism: bool,
    /// The longest time that a scenario that calls a provider can take.
    pub time_limit: Option<Duration>,
    /// How often scenarios that call a provider are played, instead of what they specify.
    pub repeat: Option<u32>,
    /// They are played that often even if the result is certain before.
    pub plays_all: bool,
    /// Observers get the records of the turns.
    pub keeps_records: bool,
    /// Whether coverage is counted.
    pub counts_coverage: bool,
    /// Set by the user to cancel the run: no further scenario is played.
    pub canceled: Option<&'s AtomicBool>,
}

/// The results of consecutive scenarios of one file.
pub(crate) struct PlayedPart<C> {
    /// The file.
    pub sources: Arc<SourceMap>,
    /// The results, with what was collected from the turns of those that were played.
    pub results: Vec<(ScenarioResult, Option<C>)>,
    /// These are the last of the file.
    pub ends_file: bool,
}

/// The files that the scenarios of a run took for themselves.
#[derive(Default)]
struct SuiteClaims {
    cassettes: ArtifactClaims,
    snapshots: SnapshotLedger,
}

/// What came of a document.
enum SuiteItem<C> {
    /// It was not wanted: its title, where it has one.
    PassedOver(PathBuf, String),
    /// It was wanted.
    Met(Box<ScenarioResult>, Option<C>),
}

impl<'s> Suite<'s> {
    /// All scenarios of these files. Each is played as it specifies.
    pub fn new(runner: Runner<'s>, files: ScenarioFiles, snapshots: SnapshotChecker) -> Self {
        Self {
            runner,
            files,
            selection: &(),
            snapshots,
            pruning: Pruning::None,
            fails_fast: false,
            checks_determinism: false,
            time_limit: None,
            repeat: None,
            plays_all: false,
            keeps_records: false,
            counts_coverage: false,
            canceled: None,
        }
    }

    /// All scenarios under these paths; without a path, those of the project. `found` gets the findings about the paths and
    /// the settings of snapshots.
    pub fn under(
        runner: Runner<'s>,
        paths: &[PathBuf],
        mode: SnapshotMode,
        found: &mut Diagnostics,
    ) -> Self {
        let snapshots = SnapshotChecker::new(runner.project, mode, found);
        let files = ScenarioFiles::of(runner.project, paths, found);
        Self::new(runner, files, snapshots)
    }

    /// Whether the user canceled the run.
    pub fn is_canceled(&self) -> bool {
        self.canceled
            .is_some_and(|canceled| canceled.load(Ordering::Relaxed))
    }

    /// Plays the scenarios and hands the results to `each` as they come, in the order of the files and of the documents in
    /// them, independent of the number of threads. A file that cannot be used has a result too. `collector` makes what
    /// collects from the turns of a scenario. Returns what was learned of snapshots, and whether the run stopped early.
    pub(crate) fn play_files<C: TurnCollector>(
        &self,
        threads: &Threads,
        collector: &(dyn Fn() -> C + Sync),
        each: &mut dyn FnMut(PlayedPart<C>),
    ) -> (SnapshotLedger, bool) {
        let mut claims = SuiteClaims::default();
        let files = &self.files;
        let unusable = files
            .unusable
            .iter()
            .map(|(path, found)| vec![FilePart::unusable(path, found.clone())]);
        let mut opener = FileOpener::new(self.runner.project, &files.named);
        let mut parts = unusable
            .chain(files.files.iter().map(|path| opener.open(path)))
            .flatten();
        let done = threads.in_order(
            || parts.next().map_or(Next::End, Next::Item),
            |FilePart {
                 sources,
                 documents,
                 unusable,
                 ends_file,
             }| {
                let items = threads.map(&documents, |source| {
                    self.play(source, &sources, (threads, collector))
                });
                let unusable = unusable.map(|result| SuiteItem::Met(Box::new(result), None));
                (
                    sources,
                    items.into_iter().chain(unusable).collect::<Vec<_>>(),
                    ends_file,
                )
            },
            |(sources, items, ends_file)| {
                let (mut results, mut is_stopped) = (Vec::new(), false);
                for item in items {
                    let settled = self.settle(item, &mut claims);
                    is_stopped = self.fails_fast
                        && settled
                            .as_ref()
                            .is_some_and(|(result, _)| !result.verdict().is_well());
                    results.extend(settled);
                    if is_stopped {
                        break;
                    }
                }
                each(PlayedPart {
                    sources,
                    results,
                    ends_file: ends_file || is_stopped,
                });
                if is_stopped { Err(()) } else { Ok(()) }
            },
        );
        (claims.snapshots, done.is_err())
    }

    /// Plays the scenario of a document, where it is wanted.
    fn play<C: TurnCollector>(
        &self,
        source: &ScenarioSource,
        sources: &SourceMap,
        (threads, fresh): (&Threads, &(dyn Fn() -> C + Sync)),
    ) -> SuiteItem<C> {
        let mut collector = fresh();
        let begun = Instant::now();
        let mut result = ScenarioResult::at(sources.place(source.start(sources)));
        let document = source.document(sources, &mut result.found);
        if let Some((scenario, document)) = document
            .as_ref()
            .and_then(|document| Some((ScenarioText::read(document, &mut result.found)?, document)))
        {
            let is_wanted = !self.is_canceled()
                && self.files.wants(&scenario)
                && self.selection.wants(&scenario, &self.runner, sources);
            if !is_wanted && !source.has_broken_cases {
                return SuiteItem::PassedOver(source.path.clone(), scenario.name());
            }
            scenario.title.clone_into(&mut result.title);
            result.case = scenario.case.map(|case| case.name.clone());
            result.case_place = scenario.case.map(|case| sources.place(case.span));
            result.place = sources.place(scenario.span);
            result.tags = scenario.tags.iter().map(|tag| (*tag).to_owned()).collect();
            result.meta = scenario.meta();
            result.skip = scenario.skip.map(str::to_owned);
            result.mock = self.runner.mock_of(&scenario);
            if scenario.skip.is_some() {
                scenario.check_skipped(&mut result.found);
            }
            // What is wrong with what it shares is told there.
            match &result.skip {
                _ if result.found.has_errors() || document.is_broken => {}
                Some(_) => result.end = ScenarioEnd::Skipped,
                None => {
                    let stage = Stage { threads, sources };
                    self.play_scenario(&scenario, &stage, (&mut collector, fresh), &mut result);
                }
            }
        }
        result.elapsed = begun.elapsed();
        result.has_unknown_cases = source.has_broken_cases;
        let is_played = matches!(result.end, ScenarioEnd::Played(_));
        SuiteItem::Met(Box::new(result), is_played.then_some(collector))
    }

    fn play_scenario<C: TurnCollector>(
        &self,
        scenario: &ScenarioText<'_>,
        stage: &Stage<'_>,
        collectors: (&mut C, &(dyn Fn() -> C + Sync)),
        result: &mut ScenarioResult,
    ) {
        let prepared = match self.runner.prepare(scenario, &mut result.found) {
            Ok(prepared) => prepared,
            Err(model) => {
                result.model = model;
                return;
            }
        };
        result.model = Some(prepared.model.clone());
        result.asks = prepared.answerers.is_some() || prepared.subject.is_some();
        let mut threshold = self.threshold(scenario, result.asks);
        if threshold.plays > 1 && !prepared.asks_somebody(stage.sources) {
            threshold = PassThreshold::ONCE;
        }
        let expects = prepared.turns.expects;
        if threshold.plays > 1 && !expects {
            let title = "the scenario is played several times and expects nothing";
            Diagnostic::error(Code::MissingKey, title)
                .at(scenario.span, "expects nothing")
                .help("add `expect` to a turn; a snapshot is only compared where there is one play")
                .add_to(&mut result.found);
            return;
        }
        // Where plays may differ, no one of them is what the scenario does.
        let snapshot = (threshold.plays == 1)
            .then(|| self.snapshots.begin(expects))
            .flatten();
        let of_models = prepared
            .answerers
            .as_ref()
            .is_some_and(AnswererConfig::is_of_models);
        let compares_plays = threshold.plays > 1 || of_models;
        let prepared = PreparedScenario {
            watches: self.counts_coverage,
            compares_plays,
            ..prepared
        };
        let outcome = ScenarioOutcome::new(threshold, expects, self.plays_all, compares_plays);
        prepared.play(
            outcome,
            snapshot,
            self.time_limit,
            collectors,
            stage,
            result,
        );
        if self.checks_determinism && !result.asks {
            prepared.check_determinism(stage.sources, result);
        }
    }

    /// How often a scenario is played, and how many plays must pass.
    fn threshold(&self, scenario: &ScenarioText<'_>, asks: bool) -> PassThreshold {
        let wanted = scenario.require.unwrap_or(PassThreshold::ONCE);
        if asks {
            wanted.of(self.repeat.unwrap_or(wanted.plays))
        } else {
            PassThreshold::ONCE
        }
    }

    /// Gives a scenario its files, and holds what it did against its snapshot. Nothing, where it was not wanted.
    fn settle<C>(
        &self,
        item: SuiteItem<C>,
        claims: &mut SuiteClaims,
    ) -> Option<(ScenarioResult, Option<C>)> {
        let (mut result, collector) = match item {
            SuiteItem::PassedOver(file, title) => {
                claims.snapshots.meet(&self.snapshots, &file, &title);
                return None;
            }
            SuiteItem::Met(result, collector) => (*result, collector),
        };
        let file = PathBuf::from(&result.place.path);
        if result.title.is_empty() || result.has_unknown_cases {
            claims.snapshots.pass_over(&self.snapshots, &file);
            return Some((result, collector));
        }
        let path = claims
            .snapshots
            .meet(&self.snapshots, &file, &result.name());
        // A scenario whose files cannot be looked at is not a pass.
        if let Err(finding) = self.settle_files(&mut result, path, claims) {
            result.found.push(*finding);
            result.end = ScenarioEnd::Unusable;
        }
        Some((result, collector))
    }

    fn settle_files(
        &self,
        result: &mut ScenarioResult,
        path: PathBuf,
        claims: &mut SuiteClaims,
    ) -> Checked {
        if let Some(cassette) = result.cassette.clone() {
            claims
                .cassettes
                .take(cassette, "cassette", &result.name(), &result.place)?;
        }
        let title = &*result.name();
        let ScenarioEnd::Played(outcome) = &mut result.end else {
            return Ok(());
        };
        let Some(record) = outcome.snapshot.take() else {
            return Ok(());
        };
        let place = &result.place;
        let (expects, passed) = (outcome.expects, !outcome.falls_short());
        let now = NewSnapshot {
            place,
            title,
            path,
            record,
            expects,
            passed,
        };
        result.snapshot = self.snapshots.check(now, &mut claims.snapshots)?;
        Ok(())
    }
}
