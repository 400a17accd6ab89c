//! Runs scenarios in several threads and returns the results in order.

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
use super::scenario_result::{ScenarioResult, ScenarioVerdict};
use super::scenario_selection::ScenarioSelection;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use super::trial_tally::TrialTally;
use super::turn_collector::TurnCollector;
use crate::snapshot::{
    NewSnapshot, Pruning, SnapshotChecker, SnapshotLedger, SnapshotMode, SnapshotOutcome,
};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_runtime::project::ArtifactClaims;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Next, Threads};

/// The scenarios whose records a suite passes to its observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptRecords {
    None,
    /// Scenarios that did not pass. Others can have records, too.
    Unpassed,
    All,
}

/// The scenarios of a run, and its options.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate option")]
pub struct Suite<'s> {
    pub runner: Runner<'s>,
    pub files: ScenarioFiles,
    /// Which scenarios in the files are selected.
    pub selection: &'s dyn ScenarioSelection,
    pub snapshots: SnapshotChecker,
    /// Whether orphaned snapshots are removed.
    pub pruning: Pruning,
    /// Stops at the first scenario that does not pass.
    pub fails_fast: bool,
    /// Runs scenarios that call no provider twice. Both runs must have the same records.
    pub checks_determinism: bool,
    /// The time limit for a scenario that calls a provider.
    pub time_limit: Option<Duration>,
    /// The number of trials for scenarios that call a provider. Overrides the number that the scenarios request.
    pub repeat: Option<u32>,
    /// How often a failed scenario with one trial runs again if it calls a live provider or a subject.
    pub retries: u8,
    /// Runs all trials even if the result is already certain.
    pub no_early_stop: bool,
    pub keeps_records: KeptRecords,
    /// Whether coverage is counted.
    pub counts_coverage: bool,
    /// Texts that replace the content of scenario files.
    pub texts: SourceMap,
    /// Set in order to cancel the run: no further scenarios are started.
    pub canceled: Option<&'s AtomicBool>,
}

/// The results of scenarios that are consecutive in a file.
pub(crate) struct PlayedPart<C> {
    pub sources: Arc<SourceMap>,
    /// The results, and the data collected from turns if the scenario ran.
    pub results: Vec<(ScenarioResult, Option<C>)>,
    /// Whether these are the last results of the file.
    pub ends_file: bool,
}

/// The cassettes and snapshots that scenarios of this run use.
#[derive(Default)]
struct SuiteClaims {
    cassettes: ArtifactClaims,
    snapshots: SnapshotLedger,
}

/// The outcome of a document.
enum SuiteItem<C> {
    /// The scenario was not selected. Contains the scenario's file and name.
    PassedOver(PathBuf, String),
    /// The scenario was selected.
    Met(Box<ScenarioResult>, Option<C>),
}

impl<'s> Suite<'s> {
    /// All scenarios in these files, with default options.
    pub fn new(runner: Runner<'s>, files: ScenarioFiles, snapshots: SnapshotChecker) -> Self {
        Self {
            runner,
            selection: &(),
            snapshots: snapshots.under(&files.named),
            files,
            pruning: Pruning::None,
            fails_fast: false,
            checks_determinism: false,
            time_limit: None,
            repeat: None,
            retries: 0,
            no_early_stop: false,
            keeps_records: KeptRecords::None,
            counts_coverage: false,
            texts: SourceMap::default(),
            canceled: None,
        }
    }

    /// All scenarios under `paths`, or of the project if `paths` is empty. `found` receives the findings about the
    /// paths of scenarios.
    pub fn under(
        runner: Runner<'s>,
        paths: &[PathBuf],
        mode: SnapshotMode,
        found: &mut Diagnostics,
    ) -> Self {
        let snapshots = SnapshotChecker::new(runner.project, mode);
        let files = ScenarioFiles::of(runner.project, paths, found);
        Self::new(runner, files, snapshots)
    }

    /// Whether the user canceled the run.
    pub fn is_canceled(&self) -> bool {
        self.canceled
            .is_some_and(|canceled| canceled.load(Ordering::Relaxed))
    }

    /// Runs the scenarios and passes the results to `each`, in the order of the files and their documents. The order
    /// does not depend on the number of threads. Invalid files also have results. `collector` creates a collector for
    /// the turns of each scenario, with or without records. Returns the snapshot ledger, whether the run stopped early,
    /// and findings about unused files.
    pub(crate) fn play_files<C: TurnCollector>(
        &self,
        threads: &Threads,
        collector: &(dyn Fn(bool) -> C + Sync),
        each: &mut dyn FnMut(PlayedPart<C>),
    ) -> (SnapshotLedger, bool, Diagnostics) {
        let mut claims = SuiteClaims::default();
        let files = &self.files;
        let invalid = files
            .invalid
            .iter()
            .map(|(path, found)| vec![FilePart::invalid(path, found.clone())]);
        let mut opener = FileOpener::new(self.runner.project, &files.named).reading(&self.texts);
        let mut has_invalid = false;
        let mut parts = invalid
            .chain(files.files.iter().map(|path| opener.open(path)))
            .flatten();
        let done = threads.in_order(
            || parts.next().map_or(Next::End, Next::Item),
            |FilePart {
                 sources,
                 documents,
                 invalid,
                 ends_file,
             }| {
                let items = threads.map(&documents, |source| {
                    self.play(source, &sources, (threads, collector))
                });
                let invalid = invalid.map(|result| SuiteItem::Met(Box::new(result), None));
                (
                    sources,
                    items.into_iter().chain(invalid).collect::<Vec<_>>(),
                    ends_file,
                )
            },
            |(sources, items, ends_file)| {
                let mut results = Vec::new();
                let mut is_stopped = false;
                for item in items {
                    let settled = self.settle(item, &mut claims);
                    is_stopped = self.fails_fast
                        && settled
                            .as_ref()
                            .is_some_and(|(result, _)| !result.verdict().is_well());
                    has_invalid |= settled
                        .as_ref()
                        .is_some_and(|(result, _)| matches!(result.end, ScenarioEnd::Invalid));
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
        drop(parts);
        // An invalid scenario might use any file.
        let unused = if files.is_project && !has_invalid && done.is_ok() {
            opener.unused()
        } else {
            Diagnostics::default()
        };
        (claims.snapshots, done.is_err(), unused)
    }

    /// Runs the scenario in a document if it is selected.
    fn play<C: TurnCollector>(
        &self,
        source: &ScenarioSource,
        sources: &SourceMap,
        (threads, fresh): (&Threads, &(dyn Fn(bool) -> C + Sync)),
    ) -> SuiteItem<C> {
        let mut collected = None;
        let begun = Instant::now();
        let mut result = ScenarioResult::at(sources.place(source.start(sources)));
        let document = source.document(sources, &mut result.found);
        let errors = result.found.error_count();
        let scenario = document
            .as_ref()
            .and_then(|document| ScenarioText::parse(document, &mut result.found));
        if let Some(scenario) = &scenario
            && !result.found.no_errors_since(errors)
        {
            // Invalid text is reported even if the scenario is not selected.
            result.model = self.runner.check(scenario, &mut result.found);
            result.inputs = scenario.inputs();
        } else if let Some((scenario, document)) = scenario.zip(document.as_ref()) {
            let is_wanted = !self.is_canceled()
                && self.files.wants(&scenario)
                && self.selection.wants(&scenario, &self.runner, sources);
            if !is_wanted && !source.has_broken_cases {
                return SuiteItem::PassedOver(source.path.to_path_buf(), scenario.name());
            }
            scenario.title.clone_into(&mut result.title);
            result.case = scenario.case.map(|case| case.name.clone());
            result.case_place = scenario.case.map(|case| sources.place(case.span));
            result.place = sources.place(scenario.span);
            result.tags = scenario.tags.iter().map(|tag| (*tag).to_owned()).collect();
            result.meta = scenario.meta();
            result.skip = scenario.skip.map(str::to_owned);
            if scenario.skip.is_none() && !document.is_broken && !result.found.has_errors() {
                let stage = Stage { threads, sources };
                collected = self.play_scenario(&scenario, &stage, fresh, &mut result);
            } else {
                result.model = self.runner.check(&scenario, &mut result.found);
                // Errors in shared files are reported for those files.
                if scenario.skip.is_some() && !document.is_broken && !result.found.has_errors() {
                    result.end = ScenarioEnd::Skipped;
                }
            }
            result.inputs = scenario.inputs();
        }
        result.elapsed = begun.elapsed();
        result.has_unknown_cases = source.has_broken_cases;
        let is_played = matches!(result.end, ScenarioEnd::Played(_));
        SuiteItem::Met(Box::new(result), collected.filter(|_| is_played))
    }

    /// Runs a scenario. Returns the data collected from its turns, unless the scenario is invalid.
    fn play_scenario<C: TurnCollector>(
        &self,
        scenario: &ScenarioText<'_>,
        stage: &Stage<'_>,
        fresh: &(dyn Fn(bool) -> C + Sync),
        result: &mut ScenarioResult,
    ) -> Option<C> {
        let prepared = match self.runner.prepare(scenario, &mut result.found) {
            Ok(prepared) => prepared,
            Err(model) => {
                result.model = model;
                return None;
            }
        };
        result.model = Some(prepared.model.clone());
        result.profile = prepared.machine.shown_profile();
        result.asks = prepared.answerers.is_some() || prepared.subject.is_some();
        let mut threshold = self.threshold(scenario, result.asks);
        if threshold.trials > 1 && !prepared.calls_provider(stage.sources) {
            threshold = PassThreshold::ONCE;
        }
        let expects = prepared.turns.expects;
        if threshold.trials > 1 && !expects {
            Diagnostic::error(
                Code::MissingKey,
                "the scenario runs several trials but has no expectations",
            )
            .at(scenario.span, "no expectations")
            .help(
                "add `expect` to a turn; snapshots are compared only for scenarios with one trial",
            )
            .add_to(&mut result.found);
            return None;
        }
        let of_models = prepared
            .answerers
            .as_ref()
            .is_some_and(AnswererConfig::is_of_models);
        let compares_trials = threshold.trials > 1 || of_models;
        let prepared = PreparedScenario {
            watches: self.counts_coverage,
            compares_trials,
            ..prepared
        };
        // A failure is known only at the end, but a scenario without providers has the same records when it runs again.
        let replays = self.keeps_records == KeptRecords::Unpassed
            && !result.asks
            && !self.snapshots.is_wanted(expects);
        let keeps = self.keeps_records != KeptRecords::None && !replays;
        let mut collector = fresh(keeps);
        let mut retries = if threshold.trials == 1 && prepared.is_live() {
            self.retries
        } else {
            0
        };
        let mut earlier = TrialTally::default();
        loop {
            // If trials can differ, no single trial represents the scenario.
            let snapshot = (threshold.trials == 1)
                .then(|| self.snapshots.begin(expects))
                .flatten();
            let outcome =
                ScenarioOutcome::new(threshold, expects, self.no_early_stop, compares_trials);
            let again: &(dyn Fn() -> C + Sync) = &|| fresh(keeps);
            let collectors = (&mut collector, again);
            prepared.play(
                outcome,
                snapshot,
                self.time_limit,
                collectors,
                stage,
                result,
            );
            let passed = result.verdict().passed();
            let is_last = retries == 0
                || passed == Some(true)
                || result.found.has_errors()
                || !prepared.calls_provider(stage.sources);
            if is_last && earlier.trials == 0 {
                break;
            }
            // The failed attempts count, so that the run reports the scenario as flaky.
            let attempt = result.trials.take();
            earlier.add(&attempt.unwrap_or_else(|| TrialTally::once(passed)));
            if is_last {
                result.trials = Some(earlier);
                break;
            }
            retries -= 1;
            collector = fresh(keeps);
            result.end = ScenarioEnd::default();
        }
        if self.checks_determinism && !result.asks {
            prepared.check_determinism(stage.sources, result);
        }
        if replays && result.verdict() != ScenarioVerdict::Passed {
            collector = fresh(true);
            prepared.replay(&mut collector, stage.sources);
        }
        Some(collector)
    }

    /// The number of trials, and how many must pass.
    fn threshold(&self, scenario: &ScenarioText<'_>, asks: bool) -> PassThreshold {
        let wanted = scenario.require.unwrap_or(PassThreshold::ONCE);
        if asks {
            wanted.of(self.repeat.unwrap_or(wanted.trials))
        } else {
            PassThreshold::ONCE
        }
    }

    /// Assigns files to a scenario and compares it with its snapshot. Returns `None` if the scenario was not selected.
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
            claims.snapshots.mark_unknown(&self.snapshots, &file);
            return Some((result, collector));
        }
        let path = claims
            .snapshots
            .meet(&self.snapshots, &file, &result.name());
        result.inputs.push(path.clone());
        // A scenario whose files cannot be checked does not pass.
        if let Err(finding) = self.settle_files(&mut result, path, claims) {
            result.found.push(*finding);
            result.end = ScenarioEnd::Invalid;
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
        let now = NewSnapshot {
            place: &result.place,
            title,
            path,
            record,
            expects: outcome.expects,
            passed: !outcome.is_failure(),
        };
        result.snapshot = self.snapshots.check(now, &mut claims.snapshots)?;
        // A field that violates an expectation, too, is listed once.
        if let SnapshotOutcome::Differs {
            difference: Some(difference),
            ..
        } = &mut result.snapshot
        {
            for failure in &mut outcome.failures {
                let field = failure.mismatch.path.split('.').next().unwrap_or_default();
                failure.accepted = failure.turn.and_then(|turn| difference.take(turn, field));
            }
        }
        Ok(())
    }
}
