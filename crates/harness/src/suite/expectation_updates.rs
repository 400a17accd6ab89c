//! Rewrites failed expectations in their files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edited_file::{EditedFile, ExpectationEdit, PlacedEdit};
use super::suite_observer::{SuiteObserver, SuitePart};
use crate::scenario::{ExpectationFailure, Runner, ScenarioEnd, ScenarioResult, Suite};
use crate::snapshot::SnapshotMode;
use fsmsim_core::machine::Value;
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostics, Place, SourceMap, Span};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::threads::Threads;

const UNEXPECTED_PASS: &str = "an expected failure did not occur";
const UNREAD: &str = "the file of the expectation is not known";
const OTHER_FAILS: &str = "another turn, case or scenario requires a different value";
const INVALID: &str = "the scenario would be invalid, for example because two cases would be equal";

/// Collects the expectations that fail in a run, in order to replace each with the actual value. Leaves everything else
/// in the files unchanged, including comments.
#[derive(Debug, Default)]
pub struct ExpectationUpdates {
    failed: Vec<FailedCheck>,
    /// The files by their displayed paths.
    files: BTreeMap<String, EditedFile>,
    refused: Vec<RefusedUpdate>,
}

/// A failure that no edit repairs.
#[derive(Debug)]
pub struct RefusedUpdate {
    /// The ID of the scenario.
    pub id: String,
    /// The location of the expectation.
    pub place: Place,
    pub why: Cow<'static, str>,
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
        let (span, actual) = match failure.update() {
            Err(why) => return self.refuse(why, id, place),
            Ok(replacement) => replacement,
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

    fn refuse(&mut self, why: impl Into<Cow<'static, str>>, id: &str, place: &Place) {
        self.refused.push(RefusedUpdate {
            id: id.to_owned(),
            place: place.clone(),
            why: why.into(),
        });
    }

    /// Finds the edits, after the run. If expectations are shared, runs the scenarios of the project with the edits:
    /// an edit is dropped if another turn, case or scenario requires a different value. Writes no files.
    pub fn plan(&mut self, runner: Runner<'_>, threads: &Threads) {
        self.find();
        let is_shared = |edit: &ExpectationEdit| edit.is_shared || edit.uses.is_some();
        if self.edits().any(is_shared) {
            let doomed = self.contradicted(runner, threads);
            self.drop_edits(doomed);
        }
    }

    /// Finds the edits, after the run, without running scenarios again.
    pub fn find(&mut self) {
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
        for doomed in [EditedFile::contradicted, EditedFile::unwritable] {
            let files = self.files.iter();
            let doomed = files.map(|(path, file)| (path.clone(), doomed(file)));
            self.drop_edits(doomed.collect());
        }
    }

    fn edits_of(&self, check: &FailedCheck) -> Result<Vec<PlacedEdit>, &'static str> {
        let file = self.files.get(&check.place.path).ok_or(UNREAD)?;
        let given = check.parameters.as_ref();
        let given = given.and_then(|place| Some((self.files.get(&place.path)?, place)));
        file.edits_at(check.range, &check.actual, given)
    }

    /// Drops edits of each file, each with the reason.
    fn drop_edits(&mut self, doomed: Vec<DoomedEdits>) {
        for (path, starts) in doomed {
            for (start, why) in starts {
                let file = self.files.get_mut(&path);
                let edit = file.and_then(|file| file.edits.remove(&start));
                for (id, place) in edit.into_iter().flat_map(|edit| edit.checks) {
                    self.refuse(why.clone(), &id, &place);
                }
            }
        }
    }

    /// The shared edits that do not repair all expectations that use their value.
    fn contradicted(&self, runner: Runner<'_>, threads: &Threads) -> Vec<DoomedEdits> {
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
            let doomed = |(range, edit): (Range<usize>, &ExpectationEdit)| {
                let why = if edit.uses.is_some() && probe.invalid.contains(&real) {
                    INVALID
                } else if edit.is_shared && probe.fails(&real, &range) {
                    OTHER_FAILS
                } else {
                    return None;
                };
                Some((edit.start, Cow::Borrowed(why)))
            };
            let (_, edits) = file.edited(|_| true);
            (path.clone(), edits.into_iter().filter_map(doomed).collect())
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

    /// Whether no edit repairs some failure of this scenario.
    pub fn refuses(&self, id: &str) -> bool {
        self.refused.iter().any(|refused| refused.id == id)
    }

    pub fn is_empty(&self) -> bool {
        self.edits().next().is_none()
    }

    /// The failures that no edit repairs.
    pub fn refused(&self) -> &[RefusedUpdate] {
        &self.refused
    }

    /// The failures that no edit repairs, as lines. Several scenarios can use the same expectation.
    pub fn refusals(&self) -> Vec<String> {
        let mut lines = BTreeMap::new();
        for RefusedUpdate { place, why, .. } in &self.refused {
            let line = format!("cannot update the expectation at {place}: {why}");
            lines.insert((&place.path, place.line, place.column, why), line);
        }
        lines.into_values().collect()
    }

    /// Writes the edits that repair these scenarios, or all edits. Refuses those of a file that cannot be written, or was
    /// edited after the run. Returns the number of replaced expectations in each file.
    pub fn write(&mut self, ids: Option<&BTreeSet<&str>>) -> Vec<(PathBuf, usize)> {
        let mut written = Vec::new();
        let mut failed = Vec::new();
        for (path, file) in &mut self.files {
            let is_wanted = |edit: &&mut ExpectationEdit| {
                let is_of = |ids: &BTreeSet<&str>| {
                    let mut checks = edit.checks.iter();
                    checks.any(|(id, _)| ids.contains(&**id))
                };
                !edit.is_accepted && ids.is_none_or(is_of)
            };
            let wanted = file.edits.values_mut().filter(is_wanted).map(|edit| {
                edit.is_accepted = true;
                edit.start
            });
            let wanted: Vec<u32> = wanted.collect();
            if wanted.is_empty() {
                continue;
            }
            match file.write() {
                Ok(()) => written.push((PathBuf::from(path), wanted.len())),
                Err(why) => {
                    let edits = wanted.into_iter().map(|start| (start, why.clone()));
                    failed.push((path.clone(), edits.collect()));
                }
            }
        }
        self.drop_edits(failed);
        written
    }
}

/// The path of a file, and the offsets at which the edits to drop start, each with the reason.
type DoomedEdits = (String, Vec<(u32, Cow<'static, str>)>);

/// Collects the failures of a run in which the edits are already made.
#[derive(Default)]
struct UpdateProbe {
    /// The files and the ranges of the expectations.
    failed: Vec<(PathBuf, Span)>,
    invalid: BTreeSet<PathBuf>,
}

impl UpdateProbe {
    fn fails(&self, path: &Path, range: &Range<usize>) -> bool {
        let overlaps =
            |span: &Span| (span.start as usize) < range.end && range.start < span.end as usize;
        let mut failed = self.failed.iter();
        failed.any(|(file, span)| file == path && overlaps(span))
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
