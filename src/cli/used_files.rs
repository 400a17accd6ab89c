//! The files that a run used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fsmsim_harness::scenario::ScenarioResult;
use fsmsim_harness::suite::{SuiteObserver, SuitePart};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::SourceMap;
use fsmsim_syntax::files::real_path;

/// The files that each scenario file needs, by canonical path.
#[derive(Debug, Default)]
pub(super) struct UsedFiles {
    by_file: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl SuiteObserver for UsedFiles {
    fn finished(&mut self, part: &SuitePart, models: &mut ModelCache) {
        let Some(first) = part.scenarios.first() else {
            return;
        };
        let file = real_path(Path::new(&first.result.place.path));
        let shared = used_by(&part.sources);
        self.by_file.entry(file).or_default().extend(shared);
        for scenario in &part.scenarios {
            self.add(&scenario.result, models);
        }
    }
}

impl UsedFiles {
    /// Records the files of a scenario.
    fn add(&mut self, result: &ScenarioResult, models: &mut ModelCache) {
        let file = real_path(Path::new(&result.place.path));
        let needs = self.by_file.entry(file).or_default();
        needs.extend(result.inputs.iter().map(|input| real_path(input)));
        if let Some(model) = &result.model
            && needs.insert(real_path(&model.path))
            && let Some(machine) = models.load(&model.path, model.variant)
        {
            needs.extend(used_by(&machine.files));
        }
    }

    /// The scenario files that need one of the changed files; `None` if that is unknown and all must run.
    pub(super) fn touched_by(&self, changed: &BTreeSet<PathBuf>) -> Option<BTreeSet<PathBuf>> {
        let mut touched = BTreeSet::new();
        for path in changed {
            // A new file in the folder of a model changes the model.
            let needs = |(file, needs): &(&PathBuf, &BTreeSet<PathBuf>)| {
                *file == path || needs.iter().any(|need| path.starts_with(need))
            };
            let mut found = self
                .by_file
                .iter()
                .filter(needs)
                .map(|(file, _)| file.clone())
                .peekable();
            found.peek()?;
            touched.extend(found);
        }
        Some(touched)
    }

    /// All files and folders that scenarios need.
    pub(super) fn all(&self) -> BTreeSet<PathBuf> {
        self.by_file
            .iter()
            .flat_map(|(file, needs)| [file].into_iter().chain(needs))
            .cloned()
            .collect()
    }

    /// The folders to watch.
    pub(super) fn folders(&self) -> BTreeSet<PathBuf> {
        let folder = |path: PathBuf| {
            if path.is_dir() {
                Some(path)
            } else {
                path.parent().map(Path::to_path_buf)
            }
        };
        self.all().into_iter().filter_map(folder).collect()
    }
}

/// The used files, by canonical path.
fn used_by(sources: &SourceMap) -> impl Iterator<Item = PathBuf> {
    sources
        .used_files()
        .map(|source| real_path(Path::new(source.path())))
}
