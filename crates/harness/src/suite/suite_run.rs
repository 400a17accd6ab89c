//! Runs the scenarios of a suite, counts their coverage, and informs observers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::suite_observer::{FinishedScenario, SuiteObserver, SuitePart};
use crate::coverage::{CountedModels, CoverageSet};
use crate::scenario::{
    ModelKey, PlayedPart, RecordedTurns, ScenarioResult, Suite, TurnCollector, scenario_address,
};
use crate::snapshot::{LeftSnapshots, SnapshotMode};
use fsmsim_core::engine::RecordView;
use fsmsim_core::trace::ObservedRecord;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

/// How a run ended.
#[derive(Debug)]
pub struct SuiteEnd {
    /// The orphaned and the pending snapshots. Empty if the run stopped early or left out files, because they are then
    /// unknown.
    pub left: LeftSnapshots,
    /// Whether the run stopped before all scenarios were run.
    pub is_stopped: bool,
    /// The coverage that the scenarios reached, if it was counted.
    pub coverage: CountedModels,
    /// The number of all scenarios under the paths, whether or not they were selected, and a hash of their IDs. `None`
    /// if the run stopped early.
    pub scenarios: Option<(usize, u64)>,
}

/// Collects only the turn data that the suite needs.
struct SuiteCollector {
    records: Option<RecordedTurns>,
    coverage: Option<CoverageSet>,
}

impl Suite<'_> {
    /// Runs the scenarios. Drops their records after the observers have received them.
    pub fn run(&self, threads: &Threads, observers: &mut [&mut dyn SuiteObserver]) -> SuiteEnd {
        let project = self.runner.project;
        let layout = project.artifacts_in(&project.snapshots);
        let collector = |keeps: bool| SuiteCollector {
            records: keeps.then(RecordedTurns::default),
            coverage: self.counts_coverage.then(CoverageSet::default),
        };
        let mut coverage = CountedModels::default();
        let mut cases = CaseFindings::default();
        // Thousands of scenarios can share a file and a model.
        let mut unfaulted: Option<ModelKey> = None;
        let mut named = (String::new(), String::new());
        let mut each = |PlayedPart {
                            sources,
                            results,
                            ends_file,
                        }: PlayedPart<SuiteCollector>| {
            let models = &mut *self.runner.models.lock();
            {
                for (result, _) in &results {
                    if let Some(key) = result
                        .model
                        .as_ref()
                        .filter(|key| unfaulted.as_ref() != Some(*key))
                    {
                        let ModelKey { path, variant } = key;
                        let found = models.lasting_findings(path, *variant);
                        if found.is_empty() {
                            unfaulted = Some(key.clone());
                        }
                        for observer in observers.iter_mut().filter(|_| !found.is_empty()) {
                            observer.found_in_model(path, &found, models.sources());
                        }
                    }
                    let found = &mut report_to_all(observers);
                    report_loaded(models, None, &result.inputs, found);
                }
                let mut found = report_to_all(observers);
                for (result, _) in &results {
                    found(&cases.of(result, &sources), &sources);
                }
            }
            let finish = |(result, collected): (_, Option<SuiteCollector>)| {
                let (records, seen) =
                    collected.map_or((None, None), |seen| (seen.records, seen.coverage));
                if self.counts_coverage {
                    coverage.add(&result, seen.as_ref(), models);
                }
                let (path, file) = &mut named;
                if *path != result.place.path || file.is_empty() {
                    path.clone_from(&result.place.path);
                    *file = layout.from_root(Path::new(path));
                }
                FinishedScenario {
                    address: if result.title.is_empty() {
                        file.clone()
                    } else {
                        scenario_address(file, &result.title, result.case.as_deref())
                    },
                    result,
                    records: records.unwrap_or_default(),
                }
            };
            let part = SuitePart {
                sources,
                scenarios: results.into_iter().map(finish).collect(),
                ends_file,
            };
            for observer in &mut *observers {
                observer.finished(&part, models);
            }
        };
        let (mut ledger, is_stopped, unused) = self.play_files(threads, &collector, &mut each);
        let is_stopped = is_stopped || self.is_canceled();
        let mut end = SuiteEnd {
            left: LeftSnapshots::default(),
            is_stopped,
            coverage,
            scenarios: None,
        };
        // Scenarios that a stopped run did not reach must not be treated as deleted or untested.
        if is_stopped {
            return end;
        }
        let mut found = report_to_all(observers);
        found(&unused, &SourceMap::default());
        end.scenarios = Some(ledger.scenarios(&self.snapshots));
        if !self.files.is_partial {
            end.left =
                LeftSnapshots::find(&self.snapshots, ledger, &self.files.named, self.pruning);
        }
        if self.snapshots.mode() != SnapshotMode::Check {
            // In the other modes, the user of this run decides about pending snapshots.
            end.left.pending.clear();
        }
        found(&end.left.found, &SourceMap::default());
        if self.counts_coverage
            && self.files.is_project
            && let Some(elsewhere) = self.selection.elsewhere()
        {
            end.coverage.add_untested(
                &elsewhere,
                project,
                self.runner.profile,
                &mut self.runner.models.lock(),
                &mut found,
            );
        }
        end
    }
}

/// Reports findings to all observers.
fn report_to_all(observers: &mut [&mut dyn SuiteObserver]) -> impl FnMut(&Diagnostics, &SourceMap) {
    |found, sources| {
        if !found.is_empty() {
            for observer in &mut *observers {
                observer.found(found, sources);
            }
        }
    }
}

impl TurnCollector for SuiteCollector {
    fn turn(&mut self, line: &RecordView<'_>) {
        if let Some(records) = &mut self.records {
            records.turn(line);
        }
        if let Some(coverage) = &mut self.coverage {
            coverage.turn(line);
        }
    }

    fn observed(&mut self, record: &ObservedRecord) {
        if let Some(records) = &mut self.records {
            records.observed(record);
        }
    }

    fn join(&mut self, later: Self) {
        if let Some((records, later)) = self.records.as_mut().zip(later.records) {
            records.join(later);
        }
        if let Some((coverage, later)) = self.coverage.as_mut().zip(later.coverage) {
            coverage.join(later);
        }
    }
}

/// The findings about cases that were already reported.
#[derive(Debug, Default)]
struct CaseFindings {
    reported: BTreeSet<(Code, String, String)>,
}

impl CaseFindings {
    /// The findings about a scenario to report. A finding about a case names the case, and is not repeated for other
    /// cases.
    fn of<'r>(&mut self, result: &'r ScenarioResult, sources: &SourceMap) -> Cow<'r, Diagnostics> {
        let Some(case) = &result.case else {
            return Cow::Borrowed(&result.found);
        };
        let mut found = Diagnostics::default();
        for finding in result.found.items() {
            if self.reported.insert(sources.identity(finding)) {
                let place = result
                    .case_place
                    .as_ref()
                    .map(|place| format!(", {place}"))
                    .unwrap_or_default();
                found.push(finding.clone().note(format!("in the case [{case}]{place}")));
            }
        }
        Cow::Owned(found)
    }
}

/// Reports the findings from loading the models and mocks that scenarios name. Only `lint` reports findings that
/// concern a profile alone.
pub fn report_loaded<'n>(
    loaded: &mut ModelCache,
    models: impl IntoIterator<Item = &'n ModelKey>,
    mocks: impl IntoIterator<Item = &'n PathBuf>,
    emit: &mut dyn FnMut(&Diagnostics, &SourceMap),
) {
    for model in models {
        let found = loaded.lasting_findings(&model.path, model.variant);
        emit(&found, loaded.sources());
    }
    for path in mocks {
        if let Some(found) = loaded.mock_findings(path) {
            emit(found, loaded.sources());
        }
    }
}
