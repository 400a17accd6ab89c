//! Attributes failed scenarios to the differences between two models.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::cause::CauseKey;
use super::decided::{Decided, FieldChange};
use super::divergence::Divergence;
use super::model_edits::EditCache;
use super::scenario_comparison::{ModelDiff, ScenarioComparison};
use crate::limits::MAX_SCENARIO_FILE;
use crate::scenario::{ModelKey, ScenarioLoader, ScenarioSource, ScenarioText};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::threads::Threads;

/// A scenario that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedScenario {
    /// The model that the scenario was run with.
    pub model: ModelKey,
    pub file: PathBuf,
    /// The title, including the name of the case.
    pub name: String,
    pub line: usize,
    /// The first failed turn; `None` if the scenario failed at its end.
    pub turn: Option<u32>,
}

/// The cause of a difference between the runs of a scenario with the previous and the current model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCause {
    /// The root cause.
    pub key: CauseKey,
    /// The weightiest change.
    pub change: FieldChange,
    /// Other causes that affect the scenario.
    pub more_causes: Vec<CauseKey>,
}

impl ModelDiff<'_> {
    /// For each scenario, the cause of the difference between the runs with the two models. `None` if the runs are
    /// equal up to the failed turn, so the models did not cause the failure.
    pub fn causes_of(
        &self,
        fallen: &[FailedScenario],
        threads: &Threads,
    ) -> Vec<Option<KnownCause>> {
        let mut files: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
        for (number, scenario) in fallen.iter().enumerate() {
            files.entry(&scenario.file).or_default().push(number);
        }
        let mut causes = vec![None; fallen.len()];
        let edits = EditCache::default();
        for (path, numbers) in files {
            let mut sources = SourceMap::default();
            let Some(file) = read_file(
                path,
                MAX_SCENARIO_FILE,
                &mut sources,
                &mut Diagnostics::default(),
            ) else {
                continue;
            };
            let mut loader = ScenarioLoader::new(self.runner.project);
            let documents = ScenarioSource::all(file, path, &mut sources, &mut loader);
            let starts: Vec<usize> = documents
                .iter()
                .map(|document| sources.place(document.start(&sources)).line)
                .collect();
            let lines = numbers
                .iter()
                .filter_map(|number| Some(fallen.get(*number)?.line));
            // All cases of a document start on the line of the document.
            let start_of =
                |line: usize| starts.iter().copied().filter(|start| *start <= line).max();
            let wanted: BTreeSet<usize> = lines.filter_map(start_of).collect();
            let documents: Vec<_> = documents
                .iter()
                .zip(&starts)
                .filter(|(_, start)| wanted.contains(start))
                .map(|(one, _)| one)
                .collect();
            let by_name: BTreeMap<&str, (usize, Option<u32>)> = numbers
                .iter()
                .filter_map(|number| {
                    fallen
                        .get(*number)
                        .map(|one| (&*one.name, (*number, one.turn)))
                })
                .collect();
            let found = threads.map(&documents, |source| {
                let name = source
                    .document(&sources, &mut Diagnostics::default())
                    .and_then(|document| {
                        Some(ScenarioText::read(&document, &mut Diagnostics::default())?.name())
                    })?;
                let (number, turn) = by_name.get(&*name)?;
                Some((
                    *number,
                    KnownCause::of(self.compare(source, &sources, &edits).verdict, *turn),
                ))
            });
            for (number, cause) in found.into_iter().flatten() {
                if let Some(slot) = causes.get_mut(number) {
                    *slot = cause;
                }
            }
        }
        KnownCause::split(&mut causes);
        causes
    }
}

impl KnownCause {
    /// The cause of a difference. `failed` is the first failed turn; `None` if the scenario failed at its end.
    fn of(verdict: ScenarioComparison, failed: Option<u32>) -> Option<Self> {
        let ScenarioComparison::Different(judged) = verdict else {
            return None;
        };
        // A difference after the failure did not cause it.
        let explains = |divergence: &Divergence| {
            let first = divergence.first.b.or(divergence.first.a);
            failed.is_none_or(|failed| first.is_some_and(|first| first <= failed))
        };
        let causes = &judged.causes;
        // A cause that only repeats the change adds nothing to the failure.
        let first = causes.iter().position(|(_, change)| explains(change))?;
        let (_, weightiest) = causes.get(first)?;
        // Of causes of the same kind, the one with a difference in the failed turn is more likely.
        let is_there = |change: &Divergence| {
            change.kind == weightiest.kind && failed.is_some() && change.numbers().b == failed
        };
        let there = causes.iter().position(|(_, change)| is_there(change));
        let main = there.unwrap_or(first);
        let (key, divergence) = causes.get(main)?;
        let others = causes.iter().enumerate().filter(|(at, _)| *at != main);
        Some(Self {
            key: key.clone(),
            change: Decided::of(divergence).change,
            more_causes: others.map(|(_, (other, _))| other.clone()).collect(),
        })
    }

    /// Replaces causes of several edits if one of these edits is also part of another cause.
    fn split(causes: &mut [Option<Self>]) {
        let keys = causes.iter().flatten();
        let keys = keys.flat_map(|cause| [&cause.key].into_iter().chain(&cause.more_causes));
        let shared = CauseKey::shared_edits(keys);
        for cause in causes.iter_mut().flatten() {
            let keys = std::iter::once(cause.key.clone()).chain(cause.more_causes.drain(..));
            let keys: Vec<CauseKey> = keys.flat_map(|key| key.split(&shared)).collect();
            let mut keys = keys.into_iter();
            if let Some(main) = keys.next() {
                cause.key = main;
            }
            let others: BTreeSet<CauseKey> = keys.filter(|key| *key != cause.key).collect();
            cause.more_causes.extend(others);
        }
    }
}
