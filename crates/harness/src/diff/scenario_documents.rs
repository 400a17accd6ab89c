//! Reads the documents of scenario files in batches.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::limits::MAX_SCENARIO_FILE;
use crate::scenario::{ScenarioLoader, ScenarioSource, is_not_run};
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;

/// The number of documents in a batch.
const BATCH: usize = 256;

/// The documents of scenario files, read in batches.
#[derive(Debug)]
pub(super) struct ScenarioDocuments<'d> {
    files: VecDeque<PathBuf>,
    loader: ScenarioLoader<'d>,
    waiting: VecDeque<Result<ScenarioSource, Diagnostics>>,
}

impl<'d> ScenarioDocuments<'d> {
    pub(super) fn of(files: Vec<PathBuf>, project: &'d Project) -> Self {
        Self {
            files: files.into(),
            loader: ScenarioLoader::new(project),
            waiting: VecDeque::new(),
        }
    }

    /// The next documents in order, with the findings for files that cannot be read. Empty at the end.
    pub(super) fn next(
        &mut self,
        sources: &mut SourceMap,
    ) -> Vec<Result<ScenarioSource, Diagnostics>> {
        while self.waiting.len() < BATCH
            && let Some(path) = self.files.pop_front()
        {
            let mut found = Diagnostics::default();
            match read_file(&path, MAX_SCENARIO_FILE, sources, &mut found) {
                Some(file) if is_not_run(file, &path, sources) => {}
                Some(file) => {
                    let all = ScenarioSource::all(file, &path, sources, &mut self.loader);
                    for (_, wrong) in self.loader.take_faults() {
                        self.waiting.push_back(Err(wrong));
                    }
                    self.waiting.extend(all.into_iter().map(Ok));
                }
                None => self.waiting.push_back(Err(found)),
            }
        }
        let count = self.waiting.len().min(BATCH);
        self.waiting.drain(..count).collect()
    }
}
