//! Rewrites failed expectations in their files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edited_file::{EditedFile, ExpectationEdit, PlacedEdit};
use super::suite_observer::{SuiteObserver, SuitePart};
use crate::scenario::{
    ExpectationFailure, FailureCause, Runner, ScenarioEnd, ScenarioResult, Suite,
};
use crate::snapshot::SnapshotMode;
use fsmsim_core::machine::Value;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{
    Checked, Code, Diagnostic, Diagnostics, Place, SourceMap, Span, plural,
};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::Threads;

const EVERY_TURN: &str = "it applies to every turn";
const BY_MODEL: &str = "a language model contributed to the result";
const NO_VALUE: &str = "a rule or a judgment has no single new value";
const UNEXPECTED_PASS: &str = "an expected failure did not occur";
const CONTRADICTED: &str = "another turn, case or scenario requires a different value";

/// Collects the expectations that fail in a run, in order to replace each with the actual value. Leaves everything else
/// in the files unchanged, including comments.
#[derive(Debug, Default)]
pub struct ExpectationUpdates {
    failed: Vec<FailedCheck>,
    /// The files by their displayed paths.
    files: BTreeMap<String, EditedFile>,
    /// The failures that no edit repairs: the reason, the ID of the scenario, and the location.
    refused: Vec<(&'static str, String, Place)>,
}

/// An expectation that failed, and the value that replaces it.
#[derive(Debug)]
struct FailedCheck {
    /// The ID of the scenario.
    id: String,
    turn: Option<u32>,
    place: Place,
    range: (u32, u32),
    actual: Value,
    /// Whether other cases or scenarios can use the expectation, too.
    is_shared: bool,
    /// The location that sets the parameters of the expectation: the case, or the `use` key.
    parameters: Option<Place>,
}

impl SuiteObserver for ExpectationUpdates {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            if let ScenarioEnd::Played(outcome) = &scenario.result.end {
                let id = &scenario.address;
                for failure in &outcome.failures {
                    self.add(id, failure, &scenario.result, &part.sources);
                }
                for pass in &outcome.unexpected_passes {
                    self.refuse(UNEXPECTED_PASS, id, &pass.place);
                }
            }
        }
    }
}

impl ExpectationUpdates {
    fn add(
        &mut self,
        id: &str,
        failure: &ExpectationFailure,
        result: &ScenarioResult,
        sources: &SourceMap,
    ) {
        let place = &failure.place;
        let (span, actual) = match (&failure.replacement, failure.cause) {
            _ if failure.standing.is_some() => return self.refuse(EVERY_TURN, id, place),
            (_, FailureCause::Model) => return self.refuse(BY_MODEL, id, place),
            (None, _) => return self.refuse(NO_VALUE, id, place),
            (Some(replacement), _) => replacement,
        };
        let range = (span.start, span.end);
        // The parts of a map fail separately, but with the same value of the field.
        let is_known = |last: &FailedCheck| {
            (&*last.id, last.turn, last.range) == (id, failure.turn, range) && last.place == *place
        };
        if self.failed.last().is_some_and(is_known) {
            return;
        }
        let parameters = match (failure.used_at.as_slice(), &result.case_place) {
            ([], case) => case.clone(),
            ([used], None) => Some(used.clone()),
            _ => None,
        };
        for Place { path, .. } in [Some(place), parameters.as_ref()].into_iter().flatten() {
            if let Some(source) = sources.named(path) {
                let file = self.files.entry(path.clone());
                file.or_insert_with(|| EditedFile::new(path, source.text()));
            }
        }
        self.failed.push(FailedCheck {
            id: id.to_owned(),
            turn: failure.turn,
            place: place.clone(),
            range,
            actual: actual.clone(),
            is_shared: result.case.is_some() || !failure.used_at.is_empty(),
            parameters,
        });
    }

    fn refuse(&mut self, why: &'static str, id: &str, place: &Place) {
        self.refused.push((why, id.to_owned(), place.clone()));
    }

    /// Finds the edits, after the run. If expectations are shared, runs the scenarios of the project with the edits:
    /// an edit is dropped if another turn, case or scenario requires a different value. Writes no files.
    pub fn plan(&mut self, runner: Runner<'_>, threads: &Threads) {
        for check in std::mem::take(&mut self.failed) {
            let edits = match self.edits_of(&check) {
                Ok(edits) => edits,
                Err(why) => {
                    self.refuse(why, &check.id, &check.place);
                    continue;
                }
            };
            for (path, mut edit) in edits {
                edit.is_shared |= check.is_shared && edit.uses.is_none();
                if let Some(file) = self.files.get_mut(&path) {
                    file.add(&edit, &check.id, &check.place);
                }
            }
        }
        let files = self.files.iter();
        let doomed = files.map(|(path, file)| (path.clone(), file.contradicted()));
        self.drop_edits(doomed.collect());
        let is_shared = |edit: &ExpectationEdit| edit.is_shared || edit.uses.is_some();
        if self.edits().any(is_shared) {
            let doomed = self.contradicted(runner, threads);
            self.drop_edits(doomed);
        }
    }

    fn edits_of(&self, check: &FailedCheck) -> Result<Vec<PlacedEdit>, &'static str> {
        let file = self.files.get(&check.place.path).ok_or(NO_VALUE)?;
        let given = check.parameters.as_ref();
        let given = given.and_then(|place| Some((self.files.get(&place.path)?, place)));
        file.edits_at(check.range, &check.actual, given)
    }

    fn drop_edits(&mut self, doomed: Vec<(String, Vec<u32>)>) {
        for (path, starts) in doomed {
            for start in starts {
                let file = self.files.get_mut(&path);
                let edit = file.and_then(|file| file.edits.remove(&start));
                for (id, place) in edit.into_iter().flat_map(|edit| edit.checks) {
                    self.refuse(CONTRADICTED, &id, &place);
                }
            }
        }
    }

    /// The shared edits that do not repair all expectations that use their value.
    fn contradicted(&self, runner: Runner<'_>, threads: &Threads) -> Vec<(String, Vec<u32>)> {
        let project = runner.project;
        let folder = &project.scenarios;
        let root = real_path(folder);
        let mut texts = SourceMap::default();
        let mut paths = Vec::new();
        for (path, file) in &self.files {
            let text: Arc<str> = file.edited(|_| true).0.into();
            let path = Path::new(path);
            // Other scenarios can refer to the file by its path in the scenario directory.
            if let Ok(inner) = real_path(path).strip_prefix(&root) {
                texts.put_instead(folder.join(inner), Arc::clone(&text));
            }
            texts.put_instead(path, text);
            paths.push(path.to_path_buf());
        }
        paths.push(folder.clone());
        let found = &mut Diagnostics::default();
        let suite = Suite {
            texts,
            ..Suite::under(runner, &paths, SnapshotMode::Check, found)
        };
        let mut probe = UpdateProbe::default();
        suite.run(threads, &mut [&mut probe]);
        let doomed = self.files.iter().map(|(path, file)| {
            let real = real_path(Path::new(path));
            let is_doomed = |(at, edit): &(u32, &ExpectationEdit)| {
                // Two cases can become equal.
                (edit.uses.is_some() && probe.invalid.contains(&real))
                    || (edit.is_shared && probe.fails(&real, *at))
            };
            let (_, edits) = file.edited(|_| true);
            let edits = edits.into_iter().filter(is_doomed);
            (path.clone(), edits.map(|(_, edit)| edit.start).collect())
        });
        doomed.collect()
    }

    fn edits(&self) -> impl Iterator<Item = &ExpectationEdit> {
        self.files.values().flat_map(|file| file.edits.values())
    }

    /// The edits that repair failures of this scenario, by file and position.
    pub fn edits_for(&self, id: &str) -> impl Iterator<Item = &ExpectationEdit> {
        let is_of = move |edit: &&ExpectationEdit| edit.checks.iter().any(|(other, _)| other == id);
        self.edits().filter(is_of)
    }

    /// Whether the edits repair all failures of this scenario.
    pub fn repair(&self, id: &str) -> bool {
        self.edits_for(id).next().is_some() && !self.refused.iter().any(|(_, other, _)| other == id)
    }

    pub fn is_empty(&self) -> bool {
        self.edits().next().is_none()
    }

    /// The failures that no edit repairs: a line for each reason.
    pub fn refusals(&self) -> Vec<String> {
        let mut reasons: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
        for (why, _, place) in &self.refused {
            reasons.entry(why).or_default().push(place);
        }
        let line = |(why, places): (&str, Vec<&Place>)| {
            let count = plural(places.len(), "failure");
            let first = places.first()?;
            Some(format!(
                "cannot update {count}, the first at {first}: {why}"
            ))
        };
        reasons.into_iter().filter_map(line).collect()
    }

    /// Writes the edits that repair these scenarios, or all edits. Returns the number of replaced expectations in each
    /// file.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, or was edited after the run. The files before it are already
    /// written.
    pub fn write(&mut self, ids: Option<&BTreeSet<&str>>) -> Checked<Vec<(PathBuf, usize)>> {
        let mut written = Vec::new();
        for (path, file) in &mut self.files {
            let is_wanted = |edit: &&mut ExpectationEdit| {
                let is_of = |ids: &BTreeSet<&str>| {
                    let mut checks = edit.checks.iter();
                    checks.any(|(id, _)| ids.contains(&**id))
                };
                !edit.is_accepted && ids.is_none_or(is_of)
            };
            let mut count = 0;
            for edit in file.edits.values_mut().filter(is_wanted) {
                edit.is_accepted = true;
                count += 1;
            }
            if count == 0 {
                continue;
            }
            file.write().map_err(|error| {
                Box::new(
                    Diagnostic::error(
                        Code::CannotWrite,
                        format!("cannot update the expectations in `{path}`: {error}"),
                    )
                    .about(path.clone())
                    .help("edit the file manually, or run the scenarios again"),
                )
            })?;
            written.push((PathBuf::from(path), count));
        }
        Ok(written)
    }
}

/// Collects the failures of a run in which the edits are already made.
#[derive(Default)]
struct UpdateProbe {
    /// The files and the ranges of the expectations.
    failed: Vec<(PathBuf, Span)>,
    invalid: BTreeSet<PathBuf>,
}

impl UpdateProbe {
    fn fails(&self, path: &Path, at: u32) -> bool {
        let is_there =
            |(file, span): &(PathBuf, Span)| *file == path && (span.start..span.end).contains(&at);
        self.failed.iter().any(is_there)
    }
}

impl SuiteObserver for UpdateProbe {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            let path = |place: &Place| real_path(Path::new(&place.path));
            match &scenario.result.end {
                ScenarioEnd::Played(outcome) => {
                    for failure in &outcome.failures {
                        let span = failure.replacement.as_ref().map(|(span, _)| *span);
                        self.failed
                            .extend(span.map(|span| (path(&failure.place), span)));
                    }
                }
                ScenarioEnd::Invalid => {
                    self.invalid.insert(path(&scenario.result.place));
                }
                _ => {}
            }
        }
    }
}
