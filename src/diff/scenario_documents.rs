//! The documents of scenario files, some at a time.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::read_file;
use crate::scenario::{FILE_LIMIT, ScenarioSource};

/// Documents that are handed out together.
const BATCH: usize = 256;

/// The documents of scenario files, some at a time.
#[derive(Debug)]
pub(super) struct ScenarioDocuments {
    files: VecDeque<PathBuf>,
    waiting: VecDeque<Result<ScenarioSource, Diagnostics>>,
}

impl ScenarioDocuments {
    /// The documents of these files.
    pub(super) fn of(files: Vec<PathBuf>) -> Self {
        Self { files: files.into(), waiting: VecDeque::new() }
    }

    /// The next documents, and in their places the findings about files that cannot be read; none behind the last one.
    pub(super) fn next(&mut self, sources: &mut SourceMap) -> Vec<Result<ScenarioSource, Diagnostics>> {
        while self.waiting.len() < BATCH
            && let Some(path) = self.files.pop_front()
        {
            let mut found = Diagnostics::default();
            match read_file(&path, FILE_LIMIT, sources, &mut found) {
                Some(file) => self.waiting.extend(ScenarioSource::all(file, &path, sources).into_iter().map(Ok)),
                None => self.waiting.push_back(Err(found)),
            }
        }
        let count = self.waiting.len().min(BATCH);
        self.waiting.drain(..count).collect()
    }
}
