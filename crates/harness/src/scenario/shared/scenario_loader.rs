//! Loads the files that scenarios share, each only once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder_defaults::{DEFAULTS, FolderDefaults};
use super::shared_files::SharedFiles;
use super::shared_turns::SharedTurns;
use super::turn_expander::check_parameters;
use crate::limits::MAX_SCENARIO_FILE;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_file};

/// Loads the files that scenarios share, each only once, into one source map.
#[derive(Debug)]
pub struct ScenarioLoader<'l> {
    project: &'l Project,
    defaults: BTreeMap<PathBuf, Arc<FolderDefaults>>,
    /// The files that were read.
    pub(crate) files: SharedFiles,
    /// Findings about defaults that were not reported yet, by file.
    faults: Vec<(PathBuf, Diagnostics)>,
}

impl<'l> ScenarioLoader<'l> {
    /// Creates a loader for the scenarios in a project.
    pub fn new(project: &'l Project) -> Self {
        Self {
            project,
            defaults: BTreeMap::new(),
            files: SharedFiles::default(),
            faults: Vec::new(),
        }
    }

    /// Returns the findings about defaults since the last call, by file.
    pub fn take_faults(&mut self) -> Vec<(PathBuf, Diagnostics)> {
        std::mem::take(&mut self.faults)
    }

    /// The defaults for the scenarios in a file.
    pub(crate) fn defaults_of(
        &mut self,
        file: &Path,
        sources: &mut SourceMap,
    ) -> Arc<FolderDefaults> {
        let mut last: Option<Arc<FolderDefaults>> = None;
        for (folder, inner) in self.project.folders_of(file) {
            let known = match self.defaults.get(&folder) {
                Some(known) => Arc::clone(known),
                None => {
                    let read =
                        self.read_defaults((&folder, inner.as_deref()), last.as_deref(), sources);
                    self.defaults.entry(folder).or_insert(read).clone()
                }
            };
            last = Some(known);
        }
        let last = last.unwrap_or_default();
        sources.use_again(last.files.iter().copied());
        last
    }

    fn read_defaults(
        &mut self,
        (folder, inner): (&Path, Option<&Path>),
        above: Option<&FolderDefaults>,
        sources: &mut SourceMap,
    ) -> Arc<FolderDefaults> {
        let above = above.cloned();
        let path = folder.join(DEFAULTS);
        if sources.instead(&path.display().to_string()).is_none()
            && path.symlink_metadata().is_err()
        {
            return Arc::new(above.unwrap_or_default());
        }
        let mut found = Diagnostics::default();
        let own = match read_file(&path, DEFINITION_LIMIT, sources, &mut found) {
            Some(file) => FolderDefaults::read(file, &sources.text(file), inner, &mut found),
            None => FolderDefaults::unread(),
        };
        if !found.is_empty() {
            self.faults.push((path, found));
        }
        Arc::new(above.unwrap_or_default().under(own))
    }

    /// Reads the shared turns that a scenario file names.
    pub(crate) fn load_turns(&mut self, path: &str, file: &Path, sources: &mut SourceMap) {
        if self.files.turns(path, file).is_some() {
            return;
        }
        let mut found = Diagnostics::default();
        let shared = self
            .open(path, DEFINITION_LIMIT, file, sources, &mut found)
            .and_then(|(path, file)| {
                let shared = SharedTurns::read(path, file, &sources.text(file), &mut found)?;
                check_parameters(&shared, &mut found);
                (!found.has_errors()).then(|| Arc::new(shared))
            });
        self.files.add_turns(path, file, shared.ok_or(found));
    }

    /// Reads the case table that a scenario file names.
    pub(crate) fn load_table(
        &mut self,
        path: &str,
        span: Span,
        file: &Path,
        sources: &mut SourceMap,
    ) {
        if let Some(known) = self.files.table(path, file) {
            sources.use_again(known.iter().copied());
            return;
        }
        let mut found = Diagnostics::default();
        let table = self
            .open(path, MAX_SCENARIO_FILE, file, sources, &mut found)
            .map(|(_, file)| file);
        let mut placed = Diagnostics::default();
        for finding in found.items() {
            placed.push(finding.clone().at(span, "named here"));
        }
        self.files.add_table(path, file, table.ok_or(placed));
    }

    fn open(
        &self,
        path: &str,
        limit: u64,
        file: &Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<(PathBuf, FileId)> {
        let path = found.take(self.project.resolve(path, file))?;
        // Cycles are found by comparing paths, so different spellings of a path must become equal.
        let path = tidy(&path);
        Some((path.clone(), read_file(&path, limit, sources, found)?))
    }
}

/// A path without `.` components.
fn tidy(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != std::path::Component::CurDir)
        .collect()
}
