//! Scenarios that fell short, put down to what differs between two models.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::cause::CauseKey;
use super::decided::{Decided, FieldChange};
use super::edit_search::{EditCache, KnownEdit};
use super::scenario_comparison::{ModelDiff, ScenarioComparison};
use super::trace_comparison::JudgedDivergence;
use crate::limits::MAX_SCENARIO_FILE;
use crate::scenario::{ModelKey, ScenarioLoader, ScenarioSource, ScenarioText};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::threads::Threads;

/// A scenario that fell short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FallenScenario {
    /// The model with which it was played.
    pub model: ModelKey,
    pub file: PathBuf,
    /// Its title with its case.
    pub name: String,
    pub line: usize,
    /// The first turn in which it did; nothing for its end.
    pub turn: Option<u32>,
}

/// What makes a scenario do something else than it did with a former model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCause {
    /// What it is put down to.
    pub key: CauseKey,
    /// The edit, where it is one that is known.
    pub edit: Option<KnownEdit>,
    /// The first change.
    pub change: FieldChange,
    /// What else makes it do something else.
    pub besides: Vec<CauseKey>,
}

impl ModelDiff<'_> {
    /// What makes these scenarios do something else with the second model than with the first, one by one. Nothing for one
    /// that does the same with both up to the turn in which it fell short: the models have no part in that.
    pub fn causes_of(
        &self,
        fallen: &[FallenScenario],
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
            // All cases of a document begin where it does.
            let begin = |line: usize| starts.iter().copied().filter(|start| *start <= line).max();
            let wanted: BTreeSet<usize> = lines.filter_map(begin).collect();
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
        causes
    }
}

impl KnownCause {
    fn of(verdict: ScenarioComparison, fell: Option<u32>) -> Option<Self> {
        let ScenarioComparison::Different(judged, edit) = verdict else {
            return None;
        };
        let JudgedDivergence {
            divergence,
            cause,
            besides,
        } = *judged;
        let numbers = divergence.numbers();
        let parted = numbers.b.or(numbers.a)?;
        if fell.is_some_and(|fell| fell < parted) {
            return None;
        }
        let decided = Decided::of(&divergence);
        let key = cause.unwrap_or_else(|| CauseKey::of(&divergence, &decided));
        // Where nothing better is known than what changed, what fell short tells that itself.
        if matches!(key, CauseKey::Decided(_)) {
            return None;
        }
        let besides: BTreeSet<CauseKey> = besides
            .into_iter()
            .map(|(other, _)| other)
            .filter(|other| *other != key)
            .collect();
        Some(Self {
            key,
            edit,
            change: decided.change,
            besides: besides.into_iter().collect(),
        })
    }
}
